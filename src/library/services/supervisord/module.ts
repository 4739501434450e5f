// Processes that supervisord controls, through supervisorctl.
import { failure, floatFromText, splitLines, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changes,
  defineModule,
  type FunctionContext,
  reads,
  ret,
  runAll,
  textAt,
} from '../../../sdk/mod.ts'

type Where = Bound<typeof where>

async function program(ctx: FunctionContext, environment: string | null): Promise<string> {
  const missing = failure('Could not find a `supervisorctl` binary')
  if (!environment) {
    const path = await ctx.host.which('supervisorctl')
    if (path === undefined) throw missing
    return path
  }
  if ((await ctx.host.stat(environment))?.type !== 'directory') return environment
  const inside = `${environment.replace(/\/$/, '')}/bin/supervisorctl`
  if ((await ctx.host.stat(inside))?.type !== 'file') throw missing
  return inside
}

/** Return the output of supervisorctl; an error is marked as such. */
async function control(
  ctx: FunctionContext,
  verb: string,
  name: string | null,
  { user, conf_file, bin_env }: Where,
): Promise<string> {
  const config = conf_file === null ? [] : ['-c', conf_file]
  const words = [await program(ctx, bin_env), ...config, verb, ...(name ? [name] : [])]
  const { retcode, stdout } = await runAll(ctx, words, { runas: user })
  return retcode !== 0 && !stdout.includes('ERROR') ? `ERROR: ${stdout}` : stdout
}

/** supervisorctl expects `group:` where it means the processes, and `group` where it means the group. */
const asPrograms = (name: string): string => name.replace(/:\*$/, ':')
const asGroup = (name: string): string => name.replace(/:\*?$/, '')

interface Row {
  process: string
  state: string
  reason: string
}

function rows(text: string): Row[] {
  return splitLines(text).map((line) => {
    const [, process = '', state = '', reason = ''] = /^\s*(\S+)\s+(\S+)\s*(.*)$/s.exec(line) ?? []
    return { process, state, reason }
  })
}

const CONFIGS = ['/etc/supervisor/supervisord.conf', '/etc/supervisord.conf']

async function options(ctx: FunctionContext, name: string, file: string | null): Promise<Map<Value, Value>> {
  const paths = file === null ? CONFIGS : [file]
  let text: string | undefined
  for (const path of paths) text ??= await textAt(ctx.host, path)
  if (text === undefined && file === null) {
    throw failure('No suitable config file found')
  }
  const section = sectionOf(text ?? '', `program:${name}`)
  if (section === undefined) throw failure(`Process '${name}' not found`)
  return new Map([...section].map(([key, value]): [Value, Value] => [key, readOption(value)]))
}

/** Parse a section as Python's ConfigParser does: names in lower case, indented lines continue a value. */
function sectionOf(text: string, wanted: string): Map<string, string> | undefined {
  let section: Map<string, string> | undefined
  let isInside = false
  let last: string | undefined
  for (const line of splitLines(text).filter((raw) => !/^\s*([#;]|$)/.test(raw))) {
    const header = /^\[(.+)\]/.exec(line)?.[1]
    const [, key, value = ''] = /^(.*?)\s*[=:]\s*(.*)$/.exec(line.trim()) ?? []
    if (header !== undefined) {
      isInside = header === wanted
      if (isInside) section ??= new Map()
    } else if (isInside && last !== undefined && /^\s/.test(line)) {
      section!.set(last, `${section!.get(last)}\n${line.trim()}`)
    } else if (isInside && key !== undefined) {
      last = key.toLowerCase()
      section!.set(last, value.trim())
    }
  }
  return section
}

function readOption(raw: string): Value {
  const text = raw.split(';')[0]!.trim()
  if (/^[+-]?\d+$/.test(text)) return Number(text)
  if (/^[+-]?(\d+\.\d*|\.\d+|\d+)(e[+-]?\d+)?$/i.test(text)) return floatFromText(text)
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  return text
}

const where = {
  user: arg.text('User that runs supervisorctl', { optional: true }),
  conf_file: arg.text('Path of the configuration of supervisord', { optional: true }),
  bin_env: arg.text('Path of supervisorctl, or of a virtual environment with it', { optional: true }),
}
const name = arg.text('Process, or a group with a colon')
const everyone = arg.text('Process, or a group with a colon', { default: 'all' })
const optionalName = arg.text('Process; all if not given', { optional: true })

const programs = (doc: string, verb: string) =>
  changes({
    doc,
    example: `supervisord.${verb} <service>`,
    args: { name: everyone, ...where },
    run: (ctx, { name, ...place }) => control(ctx, verb, asPrograms(name), place),
  })

const group = (doc: string, verb: string) =>
  changes({
    doc,
    example: `supervisord.${verb} <name>`,
    args: { name, ...where },
    run: (ctx, { name, ...place }) => control(ctx, verb, asGroup(name), place),
  })

export default defineModule({
  name: 'supervisord',
  doc: 'Manage processes of supervisord.',
  functions: {
    start: programs('Start processes.', 'start'),
    restart: programs('Restart processes.', 'restart'),
    stop: programs('Stop processes.', 'stop'),
    add: group('Activate a group of the configuration.', 'add'),
    remove: group('Remove a group.', 'remove'),
    reread: changes({
      doc: 'Reread the configuration without applying it.',
      args: where,
      run: (ctx, place) => control(ctx, 'reread', null, place),
    }),
    update: changes({
      doc: 'Reread the configuration; add, remove and restart the groups that changed.',
      args: { ...where, name: optionalName },
      run: (ctx, { name, ...place }) => control(ctx, 'update', name && asGroup(name), place),
    }),
    status: reads({
      doc: 'Return the processes and their states.',
      args: { name: optionalName, ...where },
      run: async (ctx, { name, ...place }) => {
        const found = rows(await control(ctx, 'status', name, place))
        return Object.fromEntries(found.map(({ process, state, reason }) => [process, { state, reason }]))
      },
      returns: ret.dict('The state by process'),
    }),
    status_raw: reads({
      doc: 'Return the output of `supervisorctl status`.',
      args: { name: optionalName, ...where },
      run: (ctx, { name, ...place }) => control(ctx, 'status', name, place),
    }),
    custom: changes({
      doc: 'Run any command of supervisorctl.',
      example: 'supervisord.custom "mstop \'*gunicorn*\'"',
      args: { command: arg.string('Command'), ...where },
      run: (ctx, { command, ...place }) => control(ctx, command, null, place),
    }),
    options: reads({
      doc: 'Return the configuration of a process.',
      example: 'supervisord.options foo',
      args: { name: arg.string('Process'), conf_file: where.conf_file },
      run: (ctx, { name, conf_file }) => options(ctx, name, conf_file),
    }),
    status_bool: reads({
      doc: 'Return whether a process exists and has a state.',
      example: 'supervisord.status_bool nginx RUNNING',
      args: {
        name,
        expected_state: arg.text('Expected state, such as RUNNING; any state by default', { optional: true }),
        ...where,
      },
      run: async (ctx, { name, expected_state, ...place }) => {
        const last = rows(await control(ctx, `status ${name}`, null, place)).at(-1)
        if (!last || last.reason === '(no such process)' || last.process !== name) return false
        return expected_state === null || last.state === expected_state
      },
    }),
  },
})
