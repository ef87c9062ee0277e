"""The tables of the database, and the migrations of older workspaces."""

from __future__ import annotations

import sqlite3

APPLICATION_ID = 0x0C04BE7C

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY, started TEXT NOT NULL, finished TEXT, outcome TEXT,
        settings TEXT NOT NULL, package TEXT NOT NULL
    );
    CREATE TABLE editors (
        fingerprint TEXT PRIMARY KEY, name TEXT NOT NULL, version TEXT NOT NULL,
        parameters TEXT NOT NULL, role TEXT NOT NULL
    );
    CREATE TABLE cases (
        fingerprint TEXT PRIMARY KEY, suite TEXT NOT NULL, id TEXT NOT NULL, picture TEXT NOT NULL,
        pair TEXT NOT NULL, category TEXT NOT NULL, kind TEXT NOT NULL, language TEXT NOT NULL,
        forward TEXT NOT NULL, backward TEXT, hints TEXT NOT NULL
    );
    CREATE TABLE trajectories (
        id INTEGER PRIMARY KEY, protocol TEXT NOT NULL,
        editor TEXT NOT NULL REFERENCES editors, case_fingerprint TEXT NOT NULL REFERENCES cases,
        seed INTEGER NOT NULL, generation INTEGER NOT NULL, rounds INTEGER NOT NULL,
        UNIQUE (protocol, editor, case_fingerprint, seed, generation)
    );
    CREATE TABLE steps (
        id INTEGER PRIMARY KEY, trajectory INTEGER NOT NULL REFERENCES trajectories,
        position INTEGER NOT NULL, role TEXT NOT NULL, round INTEGER NOT NULL,
        instruction TEXT NOT NULL, seed INTEGER NOT NULL, inputs TEXT NOT NULL,
        picture TEXT, width INTEGER, height INTEGER, media_type TEXT,
        failure TEXT, reason TEXT,
        seconds REAL NOT NULL, cost_usd REAL, attempts INTEGER NOT NULL,
        run INTEGER NOT NULL REFERENCES runs, at TEXT NOT NULL,
        CHECK ((picture IS NULL) != (failure IS NULL))
    );
    CREATE UNIQUE INDEX finished_steps ON steps (trajectory, position) WHERE picture IS NOT NULL;
    CREATE INDEX steps_of_trajectory ON steps (trajectory);
    CREATE TABLE measurements (
        reference TEXT NOT NULL, picture TEXT NOT NULL, metric TEXT NOT NULL, version TEXT NOT NULL,
        value REAL, missing TEXT, at TEXT NOT NULL,
        PRIMARY KEY (reference, picture, metric, version),
        CHECK ((value IS NULL) != (missing IS NULL))
    ) WITHOUT ROWID;
    """,
    """
    CREATE TABLE imported_returns (
        id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs, suite TEXT NOT NULL,
        model TEXT NOT NULL, case_id TEXT NOT NULL, picture TEXT NOT NULL, pair TEXT NOT NULL,
        category TEXT NOT NULL, kind TEXT NOT NULL, seed INTEGER NOT NULL, round INTEGER NOT NULL,
        measured TEXT NOT NULL
    );
    CREATE INDEX imported_returns_of_suite ON imported_returns (suite);
    """,
    """
    CREATE TABLE judges (
        fingerprint TEXT PRIMARY KEY, name TEXT NOT NULL, version TEXT NOT NULL, settings TEXT NOT NULL
    );
    CREATE TABLE rubrics (
        fingerprint TEXT PRIMARY KEY, id TEXT NOT NULL, version INTEGER NOT NULL, content TEXT NOT NULL
    );
    CREATE TABLE judgements (
        key TEXT PRIMARY KEY, judge TEXT NOT NULL REFERENCES judges, rubric TEXT NOT NULL REFERENCES rubrics,
        pictures TEXT NOT NULL, texts TEXT NOT NULL, repeat INTEGER NOT NULL,
        outcome TEXT, value REAL, scores TEXT, reason TEXT, missing TEXT,
        run INTEGER NOT NULL REFERENCES runs, at TEXT NOT NULL,
        CHECK (outcome IS NULL OR (outcome = 'ok') = (value IS NOT NULL)),
        CHECK (outcome IS NULL OR (value IS NULL) != (missing IS NULL))
    ) WITHOUT ROWID;
    CREATE INDEX judgements_of_judge ON judgements (judge, rubric);
    CREATE TABLE judge_attempts (
        id INTEGER PRIMARY KEY, judgement TEXT NOT NULL REFERENCES judgements,
        run INTEGER NOT NULL REFERENCES runs,
        outcome TEXT NOT NULL, detail TEXT NOT NULL, reply TEXT, finish_reason TEXT, served_model TEXT,
        sent_sizes TEXT NOT NULL, seconds REAL NOT NULL,
        tokens_read INTEGER, tokens_written INTEGER, cost_usd REAL, at TEXT NOT NULL
    );
    CREATE INDEX attempts_of_judgement ON judge_attempts (judgement);
    CREATE VIEW verdicts AS
        SELECT judges.name AS judge, rubrics.id AS rubric, rubrics.version AS rubric_version,
               j.pictures, j.texts, j.repeat, j.outcome, j.value, j.scores, j.reason, j.missing,
               count(a.id) AS attempts, max(a.served_model) AS served_model, sum(a.cost_usd) AS cost_usd,
               j.run, j.at, j.key
        FROM judgements j
        JOIN judges ON judges.fingerprint = j.judge
        JOIN rubrics ON rubrics.fingerprint = j.rubric
        LEFT JOIN judge_attempts a ON a.judgement = j.key
        WHERE j.outcome IS NOT NULL GROUP BY j.key;
    """,
    """
    CREATE TABLE looks (
        trajectory INTEGER NOT NULL REFERENCES trajectories, round INTEGER NOT NULL,
        primary_step INTEGER NOT NULL REFERENCES steps, judgement TEXT NOT NULL REFERENCES judgements,
        run INTEGER NOT NULL REFERENCES runs, at TEXT NOT NULL,
        PRIMARY KEY (trajectory, round)
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE cases RENAME TO case_facts;
    CREATE TABLE suite_cases (
        case_fingerprint TEXT NOT NULL REFERENCES case_facts, suite TEXT NOT NULL,
        PRIMARY KEY (case_fingerprint, suite)
    ) WITHOUT ROWID;
    INSERT INTO suite_cases SELECT fingerprint, suite FROM case_facts;
    ALTER TABLE case_facts DROP COLUMN suite;
    CREATE VIEW cases AS
        SELECT f.fingerprint, m.suite, f.id, f.picture, f.pair, f.category, f.kind, f.language,
               f.forward, f.backward, f.hints
        FROM case_facts f JOIN suite_cases m ON m.case_fingerprint = f.fingerprint;
    """,
    """
    CREATE TABLE measurement_details (
        reference TEXT NOT NULL, picture TEXT NOT NULL, metric TEXT NOT NULL, version TEXT NOT NULL,
        detail TEXT NOT NULL,
        PRIMARY KEY (reference, picture, metric, version)
    ) WITHOUT ROWID;
    """,
    """
    CREATE TABLE model_names (model TEXT PRIMARY KEY, name TEXT NOT NULL, at TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE hidden_models (model TEXT PRIMARY KEY, at TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE hidden_runs (run INTEGER PRIMARY KEY REFERENCES runs, at TEXT NOT NULL);
    """,
    """
    CREATE TABLE spending (
        id INTEGER PRIMARY KEY, run INTEGER NOT NULL, reserved_usd REAL NOT NULL, charged_usd REAL
    );
    INSERT INTO spending (run, reserved_usd, charged_usd)
        SELECT run, cost_usd, cost_usd FROM steps WHERE cost_usd > 0;
    INSERT INTO spending (run, reserved_usd, charged_usd)
        SELECT run, cost_usd, cost_usd FROM judge_attempts WHERE cost_usd > 0;
    """,
)
"""One script per version. A released script is never changed; a new one is appended."""

VERSION = len(MIGRATIONS)

IS_NEWEST = """t.generation = (
        SELECT max(n.generation) FROM trajectories n
        WHERE (n.protocol, n.editor, n.case_fingerprint, n.seed)
            = (t.protocol, t.editor, t.case_fingerprint, t.seed)
        AND (n.generation = 0 OR EXISTS (SELECT 1 FROM steps made WHERE made.trajectory = n.id)))"""
"""Selects trajectories t of the newest generation with at least one step."""


def migrate(connection: sqlite3.Connection) -> None:
    """Migrate the database to the current version, in one transaction."""
    if version_of(connection) == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for number in range(
            version_of(connection), VERSION
        ):  # read again: another process may have migrated it
            for statement in MIGRATIONS[number].split(";"):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk ends it
            connection.execute("ROLLBACK")
        raise


def version_of(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)
