// Calls what exports.py exports.
#include <cuda_fp16.h>

struct Pair { float x; int n; };
struct Nest { Pair pair; short s; double d; };

extern "C" {
__device__ float dist(float a, float b);
__device__ Nest mixed(Nest nest, unsigned char n, __half h, bool flag);
__device__ __half narrow(__half a, short n, bool flag);
__device__ bool odd(unsigned char n);
__device__ float total(float* p, int n);
__device__ void clear(unsigned char* p, int n);
__device__ int fib(int n);
__device__ int square(int i);
__device__ unsigned int flip(float* p, int i, unsigned char* q);
__device__ int root(int n);
}

extern "C" __global__ void everything(double* out) {
  __shared__ float few[4];
  unsigned char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (int i = 0; i < 4; ++i) few[i] = i + 1;
  out[0] = dist(3, 4);
  Nest nest = {{1.5f, 5}, -7, 2.25};
  Nest same = mixed(nest, 3, 0, true), other = mixed(nest, 200, 0.5f, false);
  out[1] = same.pair.x + same.pair.n + same.s + same.d;
  out[2] = other.pair.x + other.pair.n + other.s + other.d;
  out[3] = __half2float(narrow(1.5f, -3, true));
  out[4] = odd(7) + 10 * odd(200);
  out[5] = total(few, 4);
  out[6] = few[0];
  clear(bytes, 7);
  int sum = 0;
  for (int i = 0; i < 8; ++i) sum += bytes[i];
  out[7] = sum;
  out[8] = fib(5);
  out[9] = square(7) + root(100);
  float pair[2] = {1.5f, 0.0f};
  out[10] = flip(pair, 1, bytes) - __float_as_uint(1.5f);
  out[11] = bytes[0] + 1000 * (pair[1] > 1.5f);
}
