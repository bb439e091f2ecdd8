// nvcc -rdc=true -ptx -arch=sm_75 foreign_code.cu
extern "C" __device__ unsigned int collatz(unsigned long long n) {
  unsigned int steps = 0;
  for (; n != 1; ++steps) n = n % 2 ? 3 * n + 1 : n / 2;
  return steps;
}

extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
