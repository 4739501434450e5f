// The configuration of logrotate: settings of the main file, and of blocks in it and in included files.
import { type Dict, equals, keyError, misuse, PyError, str, truthy, typeName, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads } from '../../../sdk/mod.ts'
import { blockOf, blockText, parseConfig } from './module/config.ts'

async function get(ctx: FunctionContext, key: string, value: string | null, file: string): Promise<Value> {
  const found = (await parseConfig(ctx.host, file)).get(key) ?? false
  if (!value || !truthy(found)) return found
  if (!(found instanceof Map)) {
    throw new PyError('AttributeError', `'${typeName(found)}' object has no attribute 'get'`)
  }
  return found.get(value) ?? false
}

/** Return the file that contains a key. */
function fileOf(config: Dict, key: string, main: string): string {
  const included = config.get('include files') as Dict | undefined
  if (included === undefined) throw keyError('include files')
  let file = main
  for (const [name, keys] of included) {
    if ((keys as Value[]).includes(key)) file = `${str(config.get('include')!).replace(/\/$/, '')}/${str(name)}`
  }
  return file
}

const MULTILINE = 8
const DOT_ALL = 16

/** Return the line of a setting of the main file; undefined if it has its value already. */
function settingLine(config: Dict, key: string, value: Value): string | undefined {
  const now = config.get(key) ?? false
  if (now instanceof Map) {
    const problem = 'includes a dict, and a specific setting inside the dict was not declared'
    throw misuse(`Error: ${key} ${problem}`)
  }
  if (equals(value, now)) return undefined
  if (value === true) return key
  return truthy(value) ? `${key} ${str(value)}` : ''
}

function block(config: Dict, key: string, name: Value, setting: Value): string | undefined {
  const now = config.get(key) ?? new Map()
  if (truthy(now) && !(now instanceof Map)) {
    const problem = 'A setting for a dict was declared, but the configuration line given is not a dict'
    throw misuse(`Error: ${problem}`)
  }
  const wanted = new Map(blockOf(config, key) ?? [])
  if (equals(setting, wanted.get(name) ?? false)) return undefined
  if (truthy(setting)) wanted.set(name, setting)
  else wanted.delete(name)
  return blockText(key, wanted)
}

async function set(ctx: FunctionContext, key: string, value: Value, setting: Value, main: string): Promise<Value> {
  const config = await parseConfig(ctx.host, main)
  const path = fileOf(config, key, main)
  const isBlock = setting !== null
  const repl = isBlock ? block(config, key, value, setting) : settingLine(config, key, value)
  if (repl === undefined) return true
  const where = isBlock
    ? { flags: MULTILINE | DOT_ALL, pattern: `^${key}.*?{.*?}`, append_if_not_found: true }
    : { flags: MULTILINE, pattern: `^${key}.*`, prepend_if_not_found: true }
  return ctx.call('file.replace', [], { path, backup: false, show_changes: false, ...where, repl })
}

const conf_file = arg.string('Path of the main file', { default: '/etc/logrotate.conf' })
const key = arg.string('Setting, or path of a block')

export default defineModule({
  name: 'logrotate',
  doc: 'Manage the configuration of logrotate.',
  when: ({ grains }) =>
    grains.get('kernel') !== 'Windows' ||
    'The logrotate execution module cannot be loaded: only available on non-Windows systems.',
  functions: {
    show_conf: reads({
      doc: 'Return the whole configuration.',
      args: { conf_file },
      run: (ctx, { conf_file }) => parseConfig(ctx.host, conf_file),
    }),
    get: reads({
      doc: 'Return a setting, or a setting of a block.',
      example: 'logrotate.get /var/log/wtmp rotate',
      args: { key, value: arg.text('Setting of the block', { optional: true }), conf_file },
      run: (ctx, { key, value, conf_file }) => get(ctx, key, value, conf_file),
    }),
    set: {
      ...changes({
        doc: 'Set a setting, or a setting of a block.',
        example: 'logrotate.set /var/log/wtmp rotate 2',
        args: {
          key,
          value: arg.any('Value, of any type; or the setting of the block'),
          setting: arg.any('Value of the setting of the block, of any type', { optional: true }),
          conf_file,
        },
        run: (ctx, { key, value, setting, conf_file }) => set(ctx, key, value, setting, conf_file),
      }),
      calledAs: 'set_',
    },
  },
})
