// Errors of the operating system in Python's form: `[Errno 2] No such file or directory: '/x'`.
import { lookup, recover } from '../../base/mod.ts'
import { PyError, quote } from '../../data/mod.ts'

const TEXTS: Readonly<Record<string, readonly [number, string]>> = lookup({
  EPERM: [1, 'Operation not permitted'],
  ENOENT: [2, 'No such file or directory'],
  EIO: [5, 'Input/output error'],
  EACCES: [13, 'Permission denied'],
  EEXIST: [17, 'File exists'],
  ENOTDIR: [20, 'Not a directory'],
  EISDIR: [21, 'Is a directory'],
  EMFILE: [24, 'Too many open files'],
  ENOSPC: [28, 'No space left on device'],
  EROFS: [30, 'Read-only file system'],
  EPIPE: [32, 'Broken pipe'],
  ENAMETOOLONG: [36, 'File name too long'],
  ELOOP: [40, 'Too many levels of symbolic links'],
})

interface SystemError extends Error {
  code: string
  path?: string
}

export function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'syscall' in error
}

/** Return Python's `str(exc)` for a system error. */
function systemErrorText(error: SystemError, path: string): string {
  const [number, text] = TEXTS[error.code] ?? [0, error.message]
  return `[Errno ${number}] ${text}: ${quote(path)}`
}

/** Runs with the system's errors as Python's OSError about that path. */
export function onPath<T>(path: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (isSystemError(error)) throw new PyError('OSError', systemErrorText(error, path), { cause: error })
    throw error
  }
}

/** Return the result of `run`, or `otherwise` after a system error. */
export function unlessSystemError<T>(otherwise: T, run: () => T): T {
  return recover(isSystemError, otherwise, () => run())
}
