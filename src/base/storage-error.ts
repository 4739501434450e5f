// Errors of files and databases that come from the system: a full or failing disk, no free file descriptors. They get
// one name, the file, and the cause in plain words.
import { existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { BrineError } from './errors.ts'
import { isAnyError, recover } from './recover.ts'

export type StorageErrorCode =
  /** No space or quota is left. */
  | 'StorageFull'
  | 'StorageReadOnly'
  /** The content of a database is damaged. */
  | 'StorageDamaged'
  /** The process, or the machine, has as many files open as it may. */
  | 'TooManyFiles'
  /** The disk reports another error. */
  | 'StorageFailed'

interface Cause {
  code: StorageErrorCode
  text: string
}

const FULL: Cause = { code: 'StorageFull', text: 'no space left on the disk' }

const CAUSES: Readonly<Record<string, Cause>> = {
  ENOSPC: FULL,
  SQLITE_FULL: FULL,
  EDQUOT: { code: 'StorageFull', text: 'the disk quota is used up' },
  EFBIG: { code: 'StorageFull', text: 'the file would be larger than this process may write' },
  EROFS: { code: 'StorageReadOnly', text: 'the file system is read-only' },
  SQLITE_READONLY: { code: 'StorageReadOnly', text: 'the file or its file system is read-only' },
  EIO: { code: 'StorageFailed', text: 'the disk reports an input/output error' },
  SQLITE_IOERR: { code: 'StorageFailed', text: 'the disk reports an input/output error' },
  SQLITE_CANTOPEN: { code: 'StorageFailed', text: 'the database cannot be opened' },
  SQLITE_CORRUPT: { code: 'StorageDamaged', text: 'the database is damaged' },
  SQLITE_NOTADB: { code: 'StorageDamaged', text: 'the file is not a database' },
  EMFILE: { code: 'TooManyFiles', text: 'this process has as many files open as it may' },
  ENFILE: { code: 'TooManyFiles', text: 'this machine has as many files open as it may' },
}

export class StorageError extends BrineError<StorageErrorCode> {
  readonly path: string
  /** The name that the system or the database has for the error: `ENOSPC`, `SQLITE_FULL`. */
  readonly errno: string
  /** The cause without the path: for peers on other machines. */
  readonly plain: string

  constructor(code: StorageErrorCode, plain: string, path: string, errno: string, cause?: unknown) {
    super(code, `Cannot ${code === 'TooManyFiles' ? 'open' : 'write'} ${path}: ${plain}`, { cause })
    this.name = 'StorageError'
    this.path = path
    this.errno = errno
    this.plain = plain
  }
}

/** Return a file error of the system as a `StorageError`; return other errors unchanged. */
export function storageError(thrown: unknown, path: string): unknown {
  if (thrown instanceof StorageError || !(thrown instanceof Error)) return thrown
  const errno = String((thrown as NodeJS.ErrnoException).code ?? '')
  const cause = causeOf(errno, path)
  return cause ? new StorageError(cause.code, cause.text, path, errno, thrown) : thrown
}

/** SQLite has extended codes (`SQLITE_IOERR_SHMSIZE`), and does not say that the disk is full where it cannot create a file. */
function causeOf(errno: string, path: string): Cause | undefined {
  const short = /^SQLITE_[A-Z]+/.exec(errno)?.[0] ?? errno
  const cause = Object.hasOwn(CAUSES, short) ? CAUSES[short] : undefined
  return cause?.code === 'StorageFailed' && hasNoSpace(path) ? FULL : cause
}

function hasNoSpace(path: string): boolean {
  // if the disk cannot be queried, it counts as failed
  return recover(isAnyError, false, () => {
    const { bavail, files, ffree } = statfsSync(existsSync(path) ? path : dirname(path))
    // some file systems count no files
    return bavail === 0 || (files > 0 && ffree === 0)
  })
}

/** Do work with a file; an error of its disk is thrown as a `StorageError`. */
export type Storing = <T>(path: string, work: () => T) => T

/** Rename storage errors, without further action. */
export const namingErrors: Storing = (path, work) => {
  try {
    return work()
  } catch (error) {
    throw storageError(error, path)
  }
}
