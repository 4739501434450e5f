// The flat roster: one file, rendered, with a map of targets. And the dir roster: one rendered file per target.
import { basename, join } from 'node:path'
import { toError } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { isDict, str, typeName, type Value } from '../../data/mod.ts'
import { isHostError } from '../../host/mod.ts'
import type { Backend, RosterRequest } from './backend.ts'
import { RosterError } from './errors.ts'
import { readText, rendered, rosterFile, withoutPasswords } from './files.ts'

export const flat: Backend = {
  async read(request) {
    const source = await rosterFile(request)
    const text = await readText(request.host, source)
    const value = text.trim() === '' ? new Map<Value, Value>() : await renderedMap(request, source)
    return { source, entries: new Map([...value].map(([id, entry]) => [str(id), entry])) }
  },
}

async function renderedMap(request: RosterRequest, file: string): Promise<Map<Value, Value>> {
  let value: Value
  try {
    value = await rendered(request, file)
  } catch (error) {
    throw new RosterError('RosterBroken', `Unable to render roster file: ${withoutPasswords(toError(error).message)}`, {
      cause: error,
    })
  }
  if (isDict(value)) return value
  if (value === null) return new Map()
  throw new RosterError(
    'RosterBroken',
    `Roster file "${file}" holds a value of type ${typeName(value)}, not a map of targets`,
  )
}

export const dir: Backend = {
  async read(request) {
    const source = option(request.opts, 'roster_dir')
    const names = await listed(request, source)
    const entry = (name: string) => () => fileEntry(request, join(source, name))
    return { source, entries: new Map(names.map((name) => [name, entry(name)])) }
  },
}

async function listed({ host }: RosterRequest, folder: string): Promise<string[]> {
  try {
    return (await host.list(folder)).filter((name) => !name.startsWith('.')).sort()
  } catch (error) {
    if (!isHostError(error)) throw error
    throw new RosterError(error.code === 'ENOENT' ? 'RosterMissing' : 'RosterUnreadable', error.message, {
      cause: error,
    })
  }
}

/** The settings in the file of one target. A file that cannot be rendered is left out with a warning. */
async function fileEntry(request: RosterRequest, file: string): Promise<Value | undefined> {
  const { log, opts, host } = request
  try {
    const isEmpty = (await readText(host, file)).trim() === ''
    const settings = isEmpty ? new Map<Value, Value>() : await renderedMap(request, file)
    const domain = option(opts, 'roster_domain')
    const id = basename(file)
    if (!settings.has('host')) settings.set('host', domain === '' ? id : `${id}.${domain}`)
    return settings
  } catch (error) {
    if (!(error instanceof RosterError)) throw error
    log('error', error.message)
    log('warning', `Unable to render roster file "${file}".`)
    return undefined
  }
}
