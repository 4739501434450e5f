// States of keys and values of the Windows registry.
import { type Dict, equals, failure, intFromText, isList, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

const name = arg.text('Key, starting with its hive')
const vname = arg.text('Value name; the default value if not given', { optional: true })
const use_32bit_registry = arg.flag('Whether to use the registry of 32-bit programs', { default: false })

interface Place {
  hive: string
  key: string
  use_32bit_registry: boolean
}

function placeOf(path: string, use_32bit_registry: boolean): Place {
  const [hive = '', ...rest] = path.split('\\')
  return { hive, key: rest.join('\\'), use_32bit_registry }
}

const read = async (ctx: StateContext, place: Place, vname: string | null = null): Promise<Dict> =>
  await ctx.call('reg.read_value', [], { ...place, vname })

/** Convert data to its type in the registry. */
function cast(data: Value, type: string): Value {
  const text = (item: Value): string => (item === null ? '' : str(item))
  if (type === 'REG_BINARY') return typeof data === 'string' ? new TextEncoder().encode(data) : data
  if (type === 'REG_MULTI_SZ') return (isList(data) ? data : [data]).map(text)
  if (type === 'REG_DWORD' || type === 'REG_QWORD') return typeof data === 'string' ? intFromText(data, 10) : data
  return text(data)
}

const shown = (vname: string | null): string => vname || '(Default)'

type Wanted = Bound<typeof presentArgs>

async function present(ctx: StateContext, wanted: Wanted): Promise<StateReturn> {
  const { name, vname, vdata, vtype, win_owner, win_perms, win_deny_perms, win_inheritance } = wanted
  if ([win_owner, win_perms, win_deny_perms, wanted.win_perms_reset].some(truthy)) {
    throw failure('Owners and permissions of registry keys cannot be managed yet')
  }
  const place = placeOf(name, wanted.use_32bit_registry)
  const where = `${place.hive}\\${place.key}`
  const current = await read(ctx, place, vname)
  const data = cast(vdata, vtype)
  if (current.get('success') === true && equals(current.get('vdata') ?? null, data)) {
    return { name, result: true, changes: {}, comment: `${shown(vname)} in ${name} is already present` }
  }
  const change = {
    Key: where,
    Entry: shown(vname),
    Value: data,
    Owner: win_owner,
    Perms: { Grant: win_perms, Deny: win_deny_perms },
    Inheritance: win_inheritance,
  }
  if (ctx.test) {
    return {
      name,
      result: null,
      changes: { reg: { 'Will add': change } },
      comment: `Will add ${str(vname)} to ${where}`,
    }
  }
  const done = truthy(await ctx.call('reg.set_value', [], { ...place, vname, vdata, vtype }))
  if (!done) return { name, result: false, changes: {}, comment: `Failed to add ${str(vname)} to ${where}` }
  return { name, result: true, changes: { reg: { Added: change } }, comment: `Added ${str(vname)} to ${where}` }
}

async function absent(ctx: StateContext, name: string, vname: string | null, narrow: boolean): Promise<StateReturn> {
  const place = placeOf(name, narrow)
  const current = await read(ctx, place, vname)
  if (current.get('success') !== true || current.get('vdata') === '(value not set)') {
    return { name, result: true, changes: {}, comment: `${name} is already absent` }
  }
  const change = { Key: `${place.hive}\\${place.key}`, Entry: shown(vname) }
  if (ctx.test) {
    const comment = `Will remove ${str(vname)} to ${place.hive}\\${place.key}`
    return { name, result: null, changes: { reg: { 'Will remove': change } }, comment }
  }
  const done = truthy(await ctx.call('reg.delete_value', [], { ...place, vname }))
  if (!done) return { name, result: false, changes: {}, comment: `Failed to remove ${place.key} from ${place.hive}` }
  return {
    name,
    result: true,
    changes: { reg: { Removed: change } },
    comment: `Removed ${place.key} from ${place.hive}`,
  }
}

async function keyAbsent(ctx: StateContext, name: string, narrow: boolean): Promise<StateReturn> {
  const place = placeOf(name, narrow)
  const exists = async (): Promise<boolean> => (await read(ctx, place)).get('success') === true
  if (!(await exists())) return { name, result: true, changes: {}, comment: `${name} is already absent` }
  const Key = `${place.hive}\\${place.key}`
  if (ctx.test)
    return { name, result: null, changes: { reg: { 'Will remove': { Key } } }, comment: `Will remove ${Key}` }
  await ctx.call('reg.delete_key_recursive', [], { ...place })
  if (await exists()) return { name, result: false, changes: {}, comment: `Failed to remove registry key ${name}` }
  return { name, result: true, changes: { reg: { Removed: { Key } } }, comment: `Removed ${Key}` }
}

const presentArgs = {
  name,
  vname,
  vdata: arg.any('Data, of the type that `vtype` names', { optional: true }),
  vtype: arg.text('Value type, such as REG_SZ or REG_DWORD', { default: 'REG_SZ' }),
  use_32bit_registry,
  win_owner: arg.text('Owner of the key; not supported yet', { optional: true }),
  win_perms: arg.dict('Permissions to grant; not supported yet', { optional: true }),
  win_deny_perms: arg.dict('Permissions to deny; not supported yet', { optional: true }),
  win_inheritance: arg.flag('Whether the key inherits permissions', { default: true }),
  win_perms_reset: arg.flag('Whether to remove other permissions; not supported yet', { default: false }),
}

export default defineState({
  name: 'reg',
  doc: 'Manage keys and values of the Windows registry.',
  when: ({ grains }) => grains.get('kernel') === 'Windows' || 'reg state: only on Windows systems',
  functions: {
    present: state({ doc: 'Ensure that a value is set.', args: presentArgs, run: present }),
    absent: state({
      doc: 'Ensure that a value is absent.',
      args: { name, vname, use_32bit_registry },
      run: (ctx, given) => absent(ctx, given.name, given.vname, given.use_32bit_registry),
    }),
    key_absent: state({
      doc: 'Ensure that a key is absent.',
      args: { name, use_32bit_registry },
      run: (ctx, given) => keyAbsent(ctx, given.name, given.use_32bit_registry),
    }),
  },
})
