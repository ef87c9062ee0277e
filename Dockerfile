# The steps of the README as an image. Its base has a compiler, for the loops in C.
# docker build -t convergebench .                    on a CPU
# docker build -t convergebench --target cuda .      with torch and diffusers, for local models on a GPU
# docker run --rm -v "$PWD:/work" convergebench check --baseline baseline
FROM python:3.12 AS base
WORKDIR /src
COPY . .
WORKDIR /work
ENTRYPOINT ["convergebench"]

FROM base AS cuda
RUN cd /src && pip install --no-cache-dir --constraint constraints.txt '.[all]'

FROM base AS cpu
RUN cd /src && pip install --no-cache-dir --constraint constraints.txt '.[view]'
RUN convergebench weights pull
