// Roster files: their paths, size limits and rendering.
import { isAbsolute, join } from 'node:path'
import { LOG_LEVELS, type Log } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, isList, str, textOf, type Value } from '../../data/mod.ts'
import { type Host, isHostError } from '../../host/mod.ts'
import { renderFile } from '../../render/mod.ts'
import type { RosterRequest } from './backend.ts'
import { RosterError } from './errors.ts'

/** Larger files are refused: a roster of a hundred thousand targets has about 16 MB. */
const LARGEST = 64 * 1024 * 1024

/**
 * Return the path of the roster file: `roster_file`, or `roster` in the configuration directory. With `__disable_custom_roster`, which
 * the API sets, a file of the directories in `rosters` takes the name.
 */
export async function rosterFile({ opts, host }: RosterRequest): Promise<string> {
  const named = option(opts, 'roster_file')
  if (opts.get('__disable_custom_roster') === true && named !== '') return allowedFile(host, opts, named)
  return named === '' ? join(option(opts, 'config_dir'), 'roster') : named
}

async function allowedFile(host: Host, opts: Dict, named: string): Promise<string> {
  const name = named.replace(/^\/+|\/+$/g, '')
  const folders = option(opts, 'rosters') ?? []
  if (!name.split('/').includes('..')) {
    for (const folder of isList(folders) ? folders.map(str) : []) {
      const file = join(folder, name)
      if ((await host.stat(file))?.type === 'file') return file
    }
  }
  throw new RosterError('RosterMissing', `Roster file "${named}" not found`, {
    hint: "The API uses only files of the directories in the option 'rosters'",
  })
}

/** Return the content of a roster file, or throw Salt's error for an unreadable one. */
export async function readText(host: Host, file: string, texts: FileTexts = ROSTER_TEXTS): Promise<string> {
  const stat = await host.stat(file)
  if (stat?.type !== 'file') throw new RosterError('RosterMissing', texts.missing(file))
  if (!(await host.access(file, 'read'))) throw new RosterError('RosterUnreadable', texts.denied(file))
  if (stat.size > LARGEST) {
    throw new RosterError(
      'RosterUnreadable',
      `"${file}" has ${stat.size} bytes, more than the ${LARGEST} a roster may have`,
    )
  }
  try {
    return new TextDecoder().decode(await host.read(file))
  } catch (error) {
    if (!isHostError(error)) throw error
    throw new RosterError('RosterUnreadable', error.message, { cause: error })
  }
}

export interface FileTexts {
  missing(file: string): string
  denied(file: string): string
}

const ROSTER_TEXTS: FileTexts = {
  missing: (file) => `Roster file "${file}" not found`,
  denied: (file) => `Access denied to roster "${file}"`,
}

/** Render a roster file. The log gets no rendered text, because it holds passwords. */
export async function rendered({ opts, log, render }: RosterRequest, file: string): Promise<Value> {
  if (render) return render(file)
  const { value } = await renderFile(file, { opts, grains: new Map(), pillar: new Map(), log: withoutDetails(log) })
  return value
}

function withoutDetails(log: Log): Log {
  const least = Math.max(log.least ?? 0, LOG_LEVELS.info)
  const write: Log = (level, text) => {
    if (LOG_LEVELS[level] >= least) log(level, withoutPasswords(text))
  }
  return Object.assign(write, { least })
}

const PASSWORD_LINE = /^(.*passw[^:=\n]*[:=]\s*)\S.*$/gim

/** Hide the values of lines that assign a password, as quoted lines of a roster do. */
export const withoutPasswords = (text: string): string => text.replace(PASSWORD_LINE, '$1**********')

/** A path of the configuration that may begin with `~/`. */
export async function expandHome(host: Host, path: string): Promise<string> {
  if (path !== '~' && !path.startsWith('~/')) return path
  const home = (await host.env()).get('HOME') ?? (await host.user((await host.identity()).uid))?.home ?? '/'
  return join(home, path.slice(1))
}

/** Return a path relative to a folder, unless it is absolute. */
export const below = (folder: string, path: string): string => (isAbsolute(path) ? path : join(folder, path))

/** The texts of a list, or the parts of a comma-separated text. */
export function texts(value: Value | undefined): string[] {
  if (value === undefined || value === null) return []
  if (isList(value)) return value.map((item) => textOf(item) ?? str(item))
  return (textOf(value) ?? str(value))
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
}
