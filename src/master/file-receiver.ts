// `_file_recv`: files that minions push in pieces into their own directory below the cache. Nothing is written outside
// of it, and nothing above `file_recv_max_size`.
import { constants, existsSync, mkdirSync } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { dirname, join, normalize, relative } from 'node:path'
import type { Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isList, numberOf, str, textOf, type Value } from '../data/mod.ts'
import { LONGEST_PATH } from '../fileserver/mod.ts'
import type { Quotas } from './quotas.ts'

const MEGABYTE = 1024 * 1024

const bytesOf = (data: Value | undefined): Uint8Array =>
  data instanceof Uint8Array ? data : Buffer.from(textOf(data ?? null) ?? '')

/** Return the path of the file; undefined if it is outside of the minion's directory. */
function placeOf(opts: Dict, id: string, path: Value | undefined): string | undefined {
  if (path === undefined || !isList(path) || path.length > LONGEST_PATH) return undefined
  const joined = path.map(str).join('/')
  if (joined.length > LONGEST_PATH) return undefined
  const below = normalize(joined)
  const isOutside = below.startsWith('/') || below === '.' || below.split('/').includes('..') || below.includes('\0')
  return isOutside ? undefined : join(option(opts, 'cachedir'), 'minions', id, 'files', below)
}

/** A link in the place of the file leads elsewhere, and is not followed. */
async function openPlain(file: string, flags: number): Promise<FileHandle | undefined> {
  try {
    return await open(file, flags, 0o600)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ELOOP' || code === 'ENOENT' || code === 'EISDIR') return undefined
    throw error
  }
}

export interface ReceiverParts {
  opts: Dict
  log: Log
  quotas: Quotas
}

export async function receiveFile({ opts, log, quotas }: ReceiverParts, load: Dict): Promise<boolean> {
  const id = str(load.get('id')!)
  const offset = numberOf(load.get('loc') ?? null)
  if (offset === undefined || !option(opts, 'file_recv')) return false
  const data = bytesOf(load.get('data'))
  const most = option(opts, 'file_recv_max_size') * MEGABYTE
  if (offset < 0 || offset + data.length > most) {
    log('error', `A file of ${id} is larger than file_recv_max_size allows, or written before its beginning`)
    return false
  }
  const file = placeOf(opts, id, load.get('path'))
  if (file === undefined) {
    log('warning', `Attempt of ${id} to write a received file outside of its directory. Access denied.`)
    return false
  }
  const folder = join(option(opts, 'cachedir'), 'minions', id, 'files')
  const isNew = offset === 0
  // the file and the folders that may have to be made for it
  const made = isNew ? relative(folder, file).split('/').length : 0
  if (!quotas.allowsFile(id, folder, data.length, made)) return false
  if (isNew) mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  else if (!existsSync(dirname(file))) return false
  const root = await realpath(folder)
  if (!`${await realpath(dirname(file))}/`.startsWith(`${root}/`)) return false
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants
  const handle = await openPlain(file, O_WRONLY | O_NOFOLLOW | (isNew ? O_CREAT | O_TRUNC : 0))
  if (!handle) return false
  try {
    await handle.write(data, 0, data.length, offset)
  } finally {
    await handle.close()
  }
  return true
}
