// Functions of every kind of parameter, for the tests of `extern`. functions.ptx: nvcc -rdc=true -ptx -arch=sm_75 functions.cu
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct Pair { float x; int n; };
struct Nest { Pair pair; short s; double d; };

extern "C" __device__ bool both(bool a, bool b) { return a && !b; }
extern "C" __device__ signed char small(signed char a, unsigned char b) { return a + b; }
extern "C" __device__ unsigned short medium(short a, unsigned short b) { return a + b; }
extern "C" __device__ long long large(long long a, unsigned int b) { return a - b; }
extern "C" __device__ __half narrow(__half a, __nv_bfloat16) { return a; }
extern "C" __device__ double wide(double a, float b) { return a * b; }
extern "C" __device__ Pair pair(Pair a) { a.x += 1; return a; }
extern "C" __device__ Nest nest(Nest a, const float* p) { a.d += *p; a.s += a.pair.n; return a; }
extern "C" __device__ void put(float* p, int n, float v) { p[n] = v; }
extern "C" __device__ float sum(const float* p, int n) { float s = 0; for (int i = 0; i < n; ++i) s += p[i]; return s; }
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
extern "C" __global__ void unpacked(char c, Nest a, double* out) {
  out[0] = a.pair.x; out[1] = a.pair.n; out[2] = a.s; out[3] = a.d; out[4] = c;
}
extern __shared__ float scratch[];
extern "C" __global__ void reversed(const float* x, float* y, unsigned char flag) {
  scratch[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = flag ? scratch[blockDim.x - 1 - threadIdx.x] : x[threadIdx.x];
}
