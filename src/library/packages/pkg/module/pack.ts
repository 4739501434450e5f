// Conversion of package lists of states and command lines into one dict.
import { type Dict, isDict, isNumeric, misuse, pformat, str, textOf, type Value } from '../../../../data/mod.ts'
import { deserialize, type FunctionContext, SerializerError } from '../../../../sdk/mod.ts'

export async function nameOf(ctx: FunctionContext, name: Value, normalize: boolean): Promise<Value> {
  return normalize && ctx.has('pkg.normalize_name') ? ctx.call('pkg.normalize_name', [name]) : name
}

/** Read a text as YAML; return undefined for invalid YAML. */
async function readList(ctx: FunctionContext, given: Value): Promise<Value | undefined> {
  const text = textOf(given)
  if (text === undefined) return given
  try {
    return await deserialize('yaml', text)
  } catch (error) {
    if (!(error instanceof SerializerError)) throw error
    ctx.log('error', error.message)
    return undefined
  }
}

const isName = (element: Value): boolean => textOf(element) !== undefined || isNumeric(element)

/** Return versions by name, None for a name alone; empty for a list of anything but names and dicts of one entry. */
function flattened(ctx: FunctionContext, list: Value): Dict {
  const refused = (message: string): Dict => {
    ctx.log('error', `Invalid input for repack_dictlist${message}`)
    return new Map()
  }
  if (!Array.isArray(list)) return refused(`, data passed is not a list (${str(list)})`)
  const packed: Dict = new Map()
  for (const element of list as Value[]) {
    if (isName(element)) packed.set(element, null)
    else if (!isDict(element)) return refused(`: element ${str(element)} is not a string/dict/numeric value`)
    else if (element.size !== 1) {
      return refused(`: key/value pairs must contain only one element (data passed: ${str(element)}).`)
    } else for (const [name, version] of element) packed.set(name, version)
  }
  return packed
}

/** Return versions by name, both as text. */
export async function repackPackages(ctx: FunctionContext, pkgs: Value, normalize: boolean): Promise<Dict> {
  const list = await readList(ctx, pkgs)
  const packed: Dict = new Map()
  for (const [name, version] of list === undefined ? new Map() : flattened(ctx, list)) {
    packed.set(await nameOf(ctx, str(name), normalize), version === null ? null : str(version))
  }
  const count = textOf(pkgs)?.length ?? (pkgs as Value[]).length
  if (count !== packed.size) {
    throw misuse(
      `You are passing a list of packages that contains duplicated packages names: ${str(pkgs)}. This cannot be processed. In case you are targeting different versions of the same package, please target them individually`,
    )
  }
  return packed
}

/** Return the paths or URLs of package files by name. */
export async function packSources(ctx: FunctionContext, sources: Value, normalize: boolean): Promise<Dict> {
  const list = await readList(ctx, sources)
  const packed: Dict = new Map()
  for (const source of Array.isArray(list) ? (list as Value[]) : []) {
    if (!isDict(source) || source.size !== 1) {
      ctx.log('error', `Invalid input: ${pformat(list!)}`)
      ctx.log('error', 'Input must be a list of 1-element dicts')
      return new Map()
    }
    for (const [name, where] of source) packed.set(await nameOf(ctx, name, normalize), where)
  }
  return packed
}
