internal import Glibc
@_spi(CustomByteBufferAllocator) internal import NIOCore

extension ByteBufferAllocator {
    /// Aligns large buffers to pages.
    ///
    /// The kernel gives no memory to pages that are never touched. NIOSSL keeps 48 KiB of buffers for each connection. An idle device has touched two pages of them if they begin on a page boundary:
    /// 20 KiB a device instead of 24.
    static let wholePages = unsafe ByteBufferAllocator(
        allocate: { size in
            guard size >= 16_384 else { return unsafe malloc(size) }
            return unsafe aligned_alloc(4096, (size + 4095) / 4096 * 4096)
        },
        reallocate: { pointer, _, size in unsafe realloc(pointer, size) },
        deallocate: { pointer in unsafe free(pointer) },
        copy: { target, source, count in unsafe target.copyMemory(from: source, byteCount: count) }
    )
}
