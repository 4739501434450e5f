// Keys and values of the Windows registry.
import { type Dict, dictFrom, PyError, str, truthy, tuple, type Value } from '../../../data/mod.ts'
import { arg, CommandError, changes, defineModule, type FunctionContext, reads, ret, runAll } from '../../../sdk/mod.ts'
import { cast, entriesIn, hiveName, keysIn, type Place, pathOf, reg, shown } from './module/program.ts'

const hive = arg.text('Hive: HKLM, HKCU, HKU, HKCR or HKCC, or its long name')
const key = arg.text('Key')
const vname = arg.text('Value name; the default value if not given', { optional: true })
const use_32bit_registry = arg.flag('Whether to use the registry of 32-bit programs', { default: false })

interface Request {
  hive: string
  key: string | null
  vname?: string | null
  use_32bit_registry: boolean
}

const placeOf = ({ hive, key, use_32bit_registry: narrow }: Request): Place => ({ hive, key: key ?? '', narrow })

const valueWords = (name: string | null): string[] => (name ? ['/v', name] : ['/ve'])

async function read(ctx: FunctionContext, given: Request): Promise<Dict> {
  const place = placeOf(given)
  const name = given.vname ?? null
  const where = `${place.hive}\\${place.key}`
  const base = { hive: place.hive, key: place.key, vname: name || '(Default)' }
  const missing = (comment: string): Dict => dictFrom({ ...base, vdata: null, vtype: null, success: false, comment })
  hiveName(place.hive)
  const found = await reg(ctx, 'query', place, ...valueWords(name))
  const entry = entriesIn(found.stdout)[0]
  if (found.retcode === 0 && entry) return dictFrom({ ...base, vdata: entry.data, vtype: entry.type, success: true })
  if (/Access is denied/i.test(found.stderr + found.stdout)) return missing(`Access is denied: ${where}`)
  if ((await reg(ctx, 'query', place)).retcode !== 0) return missing(`Cannot find key: ${where}`)
  if (name) return missing(`Cannot find ${name} in ${where}`)
  return dictFrom({ ...base, vdata: '(value not set)', vtype: 'REG_SZ', success: true })
}

const exists = async (ctx: FunctionContext, given: Request): Promise<boolean> =>
  (await reg(ctx, 'query', placeOf(given))).retcode === 0

/** Return the answer of a query, or False with the reason. */
async function queried(
  ctx: FunctionContext,
  given: Request,
  answer: (output: string, place: Place) => Value[],
): Promise<Value[]> {
  const place = placeOf(given)
  const { retcode, stdout, stderr } = await reg(ctx, 'query', place)
  if (retcode === 0) return answer(stdout, place)
  const problem = /Access is denied/i.test(stderr + stdout) ? 'Access is denied' : 'Cannot find key'
  return tuple([false, `${problem}: ${place.hive}\\${place.key}`])
}

const directKeys = (output: string, place: Place): string[] => {
  const above = `${pathOf(place)}\\`
  const names = keysIn(output).filter((one) => one.toLowerCase().startsWith(above.toLowerCase()))
  return names.map((one) => one.slice(above.length)).filter((one) => !one.includes('\\'))
}

/** Return whether a key is too close to the root to remove. */
const tooHigh = ({ hive: one, key: path }: Place): boolean => {
  const least = hiveName(one) === 'HKEY_USERS' ? 3 : 1
  return path.length > 1 && [...path.slice(1)].filter((letter) => letter === '\\').length < least
}

async function deleteKey(ctx: FunctionContext, given: Request): Promise<Value> {
  const place = placeOf(given)
  if (!(await exists(ctx, given))) return false
  if (tooHigh(place)) {
    ctx.log('error', `"${place.hive}\\${place.key}" is too close to root, not safe to remove`)
    return false
  }
  const long = hiveName(place.hive)
  const all = keysIn((await reg(ctx, 'query', place, '/s')).stdout).map(
    (one) => `${place.hive}${one.slice(long.length)}`,
  )
  const keys = [...new Set([...all, `${place.hive}\\${place.key}`])].sort((a, b) => b.length - a.length)
  const { retcode, stderr } = await reg(ctx, 'delete', place, '/f')
  if (retcode === 0) return dictFrom({ Deleted: keys, Failed: [] })
  return dictFrom({ Deleted: [], Failed: keys.map((one) => `${one} ${stderr.trim()}`) })
}

export default defineModule({
  name: 'reg',
  doc: 'Manage the Windows registry.',
  when: ({ grains }) =>
    grains.get('kernel') === 'Windows' ||
    'reg execution module failed to load: The module will only run on Windows systems',
  functions: {
    key_exists: reads({
      doc: 'Return whether a key exists.',
      args: { hive, key, use_32bit_registry },
      returns: ret.boolean('Whether it exists'),
      example: 'reg.key_exists HKLM SOFTWARE\\\\Microsoft',
      run: exists,
    }),
    value_exists: reads({
      doc: 'Return whether a value exists.',
      args: { hive, key, vname: arg.text('Value name'), use_32bit_registry },
      returns: ret.boolean('Whether it exists'),
      example: 'reg.value_exists HKLM SOFTWARE\\\\Salt version',
      run: async (ctx, given) => (await read(ctx, given)).get('success') === true,
    }),
    broadcast_change: changes({
      doc: 'Notify programs that the environment changed.',
      returns: ret.boolean('Whether it succeeded'),
      run: async (ctx) => {
        // removing a variable that does not exist makes Windows send the notification
        const line = "[Environment]::SetEnvironmentVariable('BRINE_REGISTRY_CHANGE', $null, 'User')"
        const { retcode } = await runAll(ctx, ['powershell', '-NoProfile', '-Command', line])
        return retcode === 0
      },
    }),
    list_keys: reads({
      doc: 'Return the subkeys of a key.',
      args: { hive, key: arg.text('Key', { optional: true }), use_32bit_registry },
      returns: ret.list('The names'),
      example: 'reg.list_keys HKLM SOFTWARE',
      run: (ctx, given) => queried(ctx, given, directKeys),
    }),
    list_values: reads({
      doc: 'Return the values of a key.',
      args: { hive, key: arg.text('Key', { optional: true }), use_32bit_registry },
      returns: ret.list('The values'),
      example: 'reg.list_values HKLM SYSTEM\\\\CurrentControlSet',
      run: (ctx, given) =>
        queried(ctx, given, (output, place) =>
          entriesIn(output).map(({ name, type, data }) =>
            dictFrom({ hive: place.hive, key: place.key, vname: name, vtype: type, vdata: data, success: true }),
          ),
        ),
    }),
    read_value: reads({
      doc: 'Return a value.',
      args: { hive, key, vname, use_32bit_registry },
      returns: ret.dict('`vdata`, `vtype` and `success`'),
      example: 'reg.read_value HKLM SOFTWARE\\\\Salt version',
      run: read,
    }),
    set_value: changes({
      doc: 'Set a value, and create its key.',
      args: {
        hive,
        key,
        vname,
        vdata: arg.any('Data, of the type that `vtype` names', { optional: true }),
        vtype: arg.text('Value type, such as REG_SZ or REG_DWORD', { default: 'REG_SZ' }),
        use_32bit_registry,
        volatile: arg.flag('Whether the key is lost at the next start; not supported here', { default: false }),
      },
      returns: ret.boolean('Whether it succeeded'),
      example: 'reg.set_value HKLM SOFTWARE\\\\Salt version 3008.2',
      run: async (ctx, { vdata, vtype, volatile, ...given }) => {
        if (volatile) throw new CommandError('reg.exe makes no volatile keys')
        const data = shown(cast(vdata, vtype))
        const words = [...valueWords(given.vname), '/t', vtype, '/d', data, '/f']
        return (await reg(ctx, 'add', placeOf(given), ...words)).retcode === 0
      },
    }),
    delete_key_recursive: changes({
      doc: 'Remove a key and all its subkeys.',
      args: { hive, key, use_32bit_registry },
      returns: ret.any('`Deleted` and `Failed`; False if there is no such key'),
      example: 'reg.delete_key_recursive HKLM SOFTWARE\\\\DeleteMe',
      run: deleteKey,
    }),
    delete_value: changes({
      doc: 'Remove a value.',
      args: { hive, key, vname, use_32bit_registry },
      returns: ret.any('True; None if there is no such value'),
      example: 'reg.delete_value HKLM SOFTWARE\\\\Salt version',
      run: async (ctx, given) => {
        const { retcode } = await reg(ctx, 'delete', placeOf(given), ...valueWords(given.vname), '/f')
        return retcode === 0 ? true : null
      },
    }),
    import_file: changes({
      doc: 'Import a registry file.',
      args: { source: arg.text('Path or URL of the file'), use_32bit_registry },
      returns: ret.boolean('True'),
      example: 'reg.import_file salt://win/printer_config/config.reg',
      run: async (ctx, { source, use_32bit_registry: narrow }) => {
        const path = await ctx.call('cp.cache_file', [source])
        if (!truthy(path)) throw new PyError('ValueError', `File/URL '${source}' probably invalid.`)
        const outcome = await runAll(ctx, ['reg', 'import', str(path), `/reg:${narrow ? 32 : 64}`])
        if (outcome.retcode === 0) return true
        throw new CommandError('reg.exe import failed', dictFrom({ ...outcome }))
      },
    }),
  },
})
