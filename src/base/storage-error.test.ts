import { describe, expect, it } from 'vitest'
import { namingErrors, StorageError, storageError } from './storage-error.ts'

const refused = (code: string): Error => Object.assign(new Error(`${code}: refused`), { code })

describe('an error of storage', () => {
  it.each([
    ['ENOSPC', 'StorageFull', 'Cannot write /cache/jobs.db: no space left on the disk'],
    ['SQLITE_FULL', 'StorageFull', 'Cannot write /cache/jobs.db: no space left on the disk'],
    ['EROFS', 'StorageReadOnly', 'Cannot write /cache/jobs.db: the file system is read-only'],
    ['SQLITE_IOERR_WRITE', 'StorageFailed', 'Cannot write /cache/jobs.db: the disk reports an input/output error'],
    ['SQLITE_CORRUPT_INDEX', 'StorageDamaged', 'Cannot write /cache/jobs.db: the database is damaged'],
    ['EMFILE', 'TooManyFiles', 'Cannot open /cache/jobs.db: this process has as many files open as it may'],
  ])('%s names the file and the cause', (errno, code, message) => {
    const error = storageError(refused(errno), '/cache/jobs.db')
    expect(error).toBeInstanceOf(StorageError)
    expect(error).toMatchObject({ code, message, errno, path: '/cache/jobs.db' })
    expect((error as StorageError).plain).not.toContain('/cache')
  })

  it('is converted once, and other errors are unchanged', () => {
    const named = storageError(refused('ENOSPC'), '/cache/jobs.db')
    expect(storageError(named, '/cache')).toBe(named)
    const other = refused('EACCES')
    expect(storageError(other, '/cache')).toBe(other)
    const fail = (): never => {
      throw refused('EDQUOT')
    }
    expect(() => namingErrors('/cache/x', fail)).toThrow('Cannot write /cache/x: the disk quota is used up')
  })
})
