// The terraform roster: `salt_host` resources of a state file, of Terraform before 0.12 (`modules`) and since (`resources`).
import { toError } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, isDict, isList, loadJson, str, truthy, type Value } from '../../data/mod.ts'
import type { Backend, RawEntry } from './backend.ts'
import { RosterError } from './errors.ts'
import { readText } from './files.ts'

const STATE_FILE = 'terraform.tfstate'

const TEXTS = {
  missing: (file: string) => `Can't find terraform state file '${file}'`,
  denied: (file: string) => `Access denied to terraform state file '${file}'`,
}

type Cast = (value: Value) => Value

const asIs: Cast = (value) => value
const asNumber: Cast = (value) => (/^\d+$/.test(str(value)) ? Number(str(value)) : value)

/** Attributes of a `salt_host` that are settings of a roster. */
const ATTRIBUTES: ReadonlyMap<string, Cast> = new Map([
  ['host', asIs],
  ['user', asIs],
  ['passwd', asIs],
  ['port', asNumber],
  ['sudo', truthy],
  ['sudo_user', asIs],
  ['tty', truthy],
  ['priv', asIs],
  ['timeout', asNumber],
  ['minion_opts', asIs],
  ['thin_dir', asIs],
  ['cmd_umask', asNumber],
])

export const terraform: Backend = {
  async read({ opts, host }) {
    const source = option(opts, 'roster_file') || STATE_FILE
    if (!source.endsWith('.tfstate')) {
      throw new RosterError(
        'RosterBroken',
        `Terraform roster can only be used with terraform state files, not '${source}'`,
      )
    }
    const state = parsed(source, await readText(host, source, TEXTS))
    const entries = new Map<string, RawEntry>()
    for (const { id, attributes } of saltHosts(state)) {
      const name = attributes.get('salt_id') ?? id
      if (name) entries.set(str(name), settingsOf(attributes))
    }
    return { source, entries }
  },
}

function parsed(file: string, text: string): Dict {
  try {
    const state = loadJson(text)
    if (isDict(state) && (state.has('resources') || state.has('modules'))) return state
  } catch (error) {
    throw new RosterError('RosterBroken', `Malformed tfstate file ${file}: ${toError(error).message}`, { cause: error })
  }
  throw new RosterError('RosterBroken', `Malformed tfstate file ${file}: it has neither resources nor modules`)
}

interface SaltHost {
  id: Value | undefined
  attributes: Dict
}

function* saltHosts(state: Dict): Generator<SaltHost> {
  for (const resource of dictsIn(state.get('resources'))) {
    if (resource.get('type') !== 'salt_host') continue
    for (const instance of dictsIn(resource.get('instances'))) {
      yield { id: resource.get('id'), attributes: dictAt(instance, 'attributes') }
    }
  }
  for (const module of dictsIn(state.get('modules'))) {
    for (const resource of dictsIn([...dictAt(module, 'resources').values()])) {
      if (resource.get('type') !== 'salt_host') continue
      yield { id: resource.get('id'), attributes: dictAt(dictAt(resource, 'primary'), 'attributes') }
    }
  }
}

const dictsIn = (value: Value | undefined): Dict[] => (value !== undefined && isList(value) ? value.filter(isDict) : [])

function dictAt(data: Dict, key: string): Dict {
  const value = data.get(key)
  return value !== undefined && isDict(value) ? value : new Map()
}

function settingsOf(attributes: Dict): Dict {
  const settings: Dict = new Map()
  for (const [name, cast] of ATTRIBUTES) {
    const value = attributes.get(name) ?? null
    // Terraform writes an empty text for an unset attribute
    if (value !== null && value !== '') settings.set(name, cast(value))
  }
  return settings
}
