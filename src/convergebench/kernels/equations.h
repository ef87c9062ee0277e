/* Four symmetric equations, given by the upper triangle of their matrix, row by row. */

#ifndef CONVERGEBENCH_EQUATIONS_H
#define CONVERGEBENCH_EQUATIONS_H

#include <math.h>
#include <string.h>

enum { PARAMETERS = 4, PRODUCTS = 10 };

static void fill_symmetric(const double *upper, double matrix[PARAMETERS][PARAMETERS]) {
    for (int row = 0; row < PARAMETERS; row++)
        for (int column = row; column < PARAMETERS; column++)
            matrix[row][column] = matrix[column][row] = *upper++;
}

/* Whether the smallest eigenvalue is at most `least` of the largest, by Jacobi's rotations. They end when what is
 * left beside the diagonal would change no digit that counts: later ones take long, with ever smaller numbers. */
static int is_singular(const double *upper, double least) {
    enum { SWEEPS = 30 };
    static const double nothing = 1e-15;
    double m[PARAMETERS][PARAMETERS];
    fill_symmetric(upper, m);
    for (int sweep = 0, rotated = 1; rotated && sweep < SWEEPS; sweep++) {
        rotated = 0;
        for (int i = 0; i < PARAMETERS; i++)
            for (int j = i + 1; j < PARAMETERS; j++) {
                if (fabs(m[i][j]) <= nothing * (fabs(m[i][i]) + fabs(m[j][j])))
                    continue;
                rotated = 1;
                double theta = (m[j][j] - m[i][i]) / (2 * m[i][j]);
                double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < PARAMETERS; k++) {
                    double one = m[k][i], other = m[k][j];
                    m[k][i] = c * one - s * other;
                    m[k][j] = s * one + c * other;
                }
                for (int k = 0; k < PARAMETERS; k++) {
                    double one = m[i][k], other = m[j][k];
                    m[i][k] = c * one - s * other;
                    m[j][k] = s * one + c * other;
                }
            }
    }
    double low = m[0][0], high = m[0][0];
    for (int i = 1; i < PARAMETERS; i++) {
        low = m[i][i] < low ? m[i][i] : low;
        high = m[i][i] > high ? m[i][i] : high;
    }
    return !(low > least * high);
}

/* Gaussian elimination without pivots, which a positive definite matrix does not need. */
static void solve(const double *upper, const double *right, double *solution) {
    double m[PARAMETERS][PARAMETERS];
    fill_symmetric(upper, m);
    memcpy(solution, right, PARAMETERS * sizeof(double));
    for (int i = 0; i < PARAMETERS; i++)
        for (int row = i + 1; row < PARAMETERS; row++) {
            double factor = m[row][i] / m[i][i];
            for (int column = i; column < PARAMETERS; column++)
                m[row][column] -= factor * m[i][column];
            solution[row] -= factor * solution[i];
        }
    for (int i = PARAMETERS - 1; i >= 0; i--) {
        for (int column = i + 1; column < PARAMETERS; column++)
            solution[i] -= m[i][column] * solution[column];
        solution[i] /= m[i][i];
    }
}

/* The diagonal of the inverse; infinite if the matrix is singular. */
static void invert_diagonal(const double *upper, double least, double *out) {
    for (int i = 0; i < PARAMETERS; i++) {
        double unit[PARAMETERS] = {0}, column[PARAMETERS];
        unit[i] = 1;
        solve(upper, unit, column);
        out[i] = column[i];
    }
    if (is_singular(upper, least))
        for (int i = 0; i < PARAMETERS; i++)
            out[i] = INFINITY;
}

#endif
