internal import Glibc
@_spi(CustomByteBufferAllocator) internal import NIOCore

extension ByteBufferAllocator {
    /// The size of a page, in bytes.
    private static let page = 4096

    /// Aligns large buffers to pages, which use no memory until they are written.
    ///
    /// NIOSSL keeps 48 KiB of buffers for each connection, but an idle device uses only one page of each buffer. The kernel gives no
    /// memory to unused pages, and `madvise` returns the memory of reused ones.
    static let wholePages = unsafe ByteBufferAllocator(
        allocate: { size in
            guard size >= 16_384 else { return unsafe malloc(size) }
            let bytes = (size + Self.page - 1) / Self.page * Self.page
            guard let buffer = unsafe aligned_alloc(Self.page, bytes) else { return nil }
            unsafe madvise(buffer, bytes, MADV_DONTNEED)
            return unsafe buffer
        },
        reallocate: { pointer, _, size in unsafe realloc(pointer, size) },
        deallocate: { pointer in unsafe free(pointer) },
        copy: { target, source, count in unsafe target.copyMemory(from: source, byteCount: count) }
    )
}
