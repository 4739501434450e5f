// Keys and values of the registry of Windows.
import { type Dict, equals, intFromText, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

const optional = (doc: string) => arg.any(doc, { optional: true })
const name = arg.text('The key, from its hive on')
const vname = arg.text('The value; the default one without a name', { optional: true })
const use_32bit_registry = arg.flag('Whether the registry of programs for 32 bits is meant', { default: false })

interface Place {
  hive: string
  key: string
  use_32bit_registry: Value
}

function placeOf(path: Value, use_32bit_registry: Value): Place {
  const [hive = '', ...rest] = str(path).split('\\')
  return { hive, key: rest.join('\\'), use_32bit_registry }
}

const read = async (ctx: StateContext, place: Place, vname: Value = null): Promise<Dict> =>
  await ctx.call('reg.read_value', [], { ...place, vname })

/** Data as its type has it in the registry. */
function cast(data: Value, type: string): Value {
  const text = (one: Value): string => (one === null ? '' : str(one))
  if (type === 'REG_BINARY') return typeof data === 'string' ? new TextEncoder().encode(data) : data
  if (type === 'REG_MULTI_SZ') return (Array.isArray(data) ? (data as Value[]) : [data]).map(text)
  if (type === 'REG_DWORD' || type === 'REG_QWORD') return typeof data === 'string' ? intFromText(data, 10) : data
  return text(data)
}

const shown = (vname: Value): string => (truthy(vname) ? str(vname) : '(Default)')

interface Wanted {
  name: Value
  vname: Value
  vdata: Value
  vtype: Value
  use_32bit_registry: Value
  win_owner: Value
  win_perms: Value
  win_deny_perms: Value
  win_inheritance: Value
  win_perms_reset: Value
}

async function present(ctx: StateContext, wanted: Wanted): Promise<StateReturn> {
  const { name, vname, vdata, vtype, win_owner, win_perms, win_deny_perms, win_inheritance } = wanted
  if ([win_owner, win_perms, win_deny_perms, wanted.win_perms_reset].some(truthy)) {
    throw new SaltError('CommandExecutionError', 'Owners and permissions of registry keys cannot be managed yet')
  }
  const place = placeOf(name, wanted.use_32bit_registry)
  const where = `${place.hive}\\${place.key}`
  const current = await read(ctx, place, vname)
  const data = cast(vdata, str(vtype))
  if (current.get('success') === true && equals(current.get('vdata') ?? null, data)) {
    return { name, result: true, changes: {}, comment: `${shown(vname)} in ${str(name)} is already present` }
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
  const isThere = async (): Promise<boolean> => (await read(ctx, place)).get('success') === true
  if (!(await isThere())) return { name, result: true, changes: {}, comment: `${name} is already absent` }
  const Key = `${place.hive}\\${place.key}`
  if (ctx.test)
    return { name, result: null, changes: { reg: { 'Will remove': { Key } } }, comment: `Will remove ${Key}` }
  await ctx.call('reg.delete_key_recursive', [], { ...place })
  if (await isThere()) return { name, result: false, changes: {}, comment: `Failed to remove registry key ${name}` }
  return { name, result: true, changes: { reg: { Removed: { Key } } }, comment: `Removed ${Key}` }
}

export default defineState({
  name: 'reg',
  doc: 'Keep keys and values of the registry.',
  when: ({ grains }) => grains.get('kernel') === 'Windows' || 'reg state: only on Windows systems',
  functions: {
    present: state({
      doc: 'A value is set.',
      args: {
        name,
        vname,
        vdata: optional('The data'),
        vtype: arg.text('Its type', { default: 'REG_SZ' }),
        use_32bit_registry,
        win_owner: optional('The owner of the key'),
        win_perms: optional('What is allowed'),
        win_deny_perms: optional('What is forbidden'),
        win_inheritance: arg.flag('Whether permissions are inherited', { default: true }),
        win_perms_reset: arg.flag('Whether other permissions are removed', { default: false }),
      },
      run: present,
    }),
    absent: state({
      doc: 'A value is not set.',
      args: { name, vname, use_32bit_registry },
      run: (ctx, given) => absent(ctx, given.name, given.vname, given.use_32bit_registry),
    }),
    key_absent: state({
      doc: 'A key is not there.',
      args: { name, use_32bit_registry },
      run: (ctx, given) => keyAbsent(ctx, given.name, given.use_32bit_registry),
    }),
  },
})
