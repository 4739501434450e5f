// The place of a file state: all that it reads and changes, derived from its arguments. A state with an unknown
// argument, or with a value that leads elsewhere, has no place.
import { type Dict, isDict, isList, str, textOf, truthy, type Value } from '../../../../data/mod.ts'
import { dirName, isAbsolute, joinPaths, normalPath, type StatePlace } from '../../../../sdk/mod.ts'

const known = (text: string): ReadonlySet<Value> => new Set(text.split(/\s+/))

const DIRECTORY = known('name dir_mode group makedirs mode user')
const LINK = known('name group makedirs target user')
const REMOVAL = known('name')
const FILE =
  known(`name allow_empty context contents contents_newline create defaults encoding group makedirs mode replace show_changes
  source template user`)

/** Arguments about requests, or about the lookup of accounts. */
const SHARED =
  /^\/(bin|sbin|lib\w*|dev|proc|run|sys|usr\/(bin|sbin|lib\w*)|etc\/(group|ld\.so\..*|localtime|nsswitch\.conf|passwd|sss[^/]*)|var\/lib\/(extrausers|sss))(\/|$)/

/** Return a normal path: absolute, and without parts that lead elsewhere. */
function ownPath(value: Value | undefined): string | undefined {
  const path = textOf(value ?? null)
  if (path === undefined || !isAbsolute(path) || normalPath(path) !== path || SHARED.test(path)) return undefined
  return path
}

/** The value of a slot is computed when the state runs. */
const hasSlot = (value: Value): boolean =>
  isDict(value)
    ? [...value.values()].some(hasSlot)
    : isList(value)
      ? value.some(hasSlot)
      : str(value).startsWith('__slot__:')

function placeOf(args: Dict, names: ReadonlySet<Value>): { paths: string[] } | undefined {
  const path = ownPath(args.get('name'))
  if (path === undefined || [...args].some(([name, value]) => !names.has(name) || hasSlot(value))) return undefined
  return { paths: [path] }
}

export const absentPlace = (args: Dict): StatePlace | undefined => placeOf(args, REMOVAL)

export const directoryPlace = (args: Dict): StatePlace | undefined => placeOf(args, DIRECTORY)

/** Return the place of a link, with its target. */
export function symlinkPlace(args: Dict): StatePlace | undefined {
  const place = placeOf(args, LINK)
  const target = textOf(args.get('target') ?? null)
  if (!place || !target) return undefined
  const end = ownPath(normalPath(joinPaths(dirName(place.paths[0]!), target)))
  return end === undefined ? undefined : { paths: [...place.paths, end] }
}

/** Content from elsewhere than the file server is fetched by the target, and the mode of a source is looked up. */
export function managedPlace(args: Dict): StatePlace | undefined {
  const place = placeOf(args, FILE)
  const source = args.get('source') ?? null
  const template = args.get('template') ?? null
  if (!place || str(args.get('mode') ?? null) === 'keep') return undefined
  if (!truthy(source)) return truthy(template) ? undefined : place
  const url = textOf(source)
  if (!url?.startsWith('salt://') || args.has('contents')) return undefined
  if (!truthy(template)) return place
  return template === 'jinja' ? { ...place, template: url } : undefined
}
