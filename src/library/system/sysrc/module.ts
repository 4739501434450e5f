// Variables of FreeBSD's rc.conf, through sysrc.
import { type Dict, failure, isInt, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, outputOf, reads, ret, runAll } from '../../../sdk/mod.ts'

const name = arg.text('Variable')
const further = arg.open('`file`: path of the file; `jail`: name of the jail')

function place(options: ReadonlyMap<string, Value>): string[] {
  const words: [string, string][] = [
    ['file', '-f'],
    ['jail', '-j'],
  ]
  return ['sysrc', '-v', ...words.flatMap(([key, word]) => (options.has(key) ? [word, str(options.get(key)!)] : []))]
}

/** Parse lines of `file: variable: value`. */
function parsed(output: string, value: (text: string) => string): Dict {
  const files: Dict = new Map()
  for (const line of output.split('\n')) {
    const [file = '', variable = '', text] = line.split(': ')
    const known = (files.get(file) as Dict | undefined) ?? new Map()
    known.set(text === undefined ? variable.replace(/:+$/, '') : variable, value(text ?? ''))
    files.set(file, known)
  }
  return files
}

function shown(value: Value): string {
  if (typeof value === 'boolean') return value ? 'YES' : 'NO'
  if (typeof value === 'string' || isInt(value)) return str(value)
  throw failure(`'${str(value)}' is no value for sysrc`)
}

export default defineModule({
  name: 'sysrc',
  doc: 'Manage variables of rc.conf.',
  when: async ({ host }) =>
    (await host.which('sysrc')) !== undefined ||
    'The sysrc execution module failed to load: the sysrc binary is not in the path.',
  functions: {
    get: reads({
      doc: 'Return variables with their values.',
      args: {
        kwargs: arg.open(
          '`name`: a single variable; `includeDefaults`: also variables that are not set; `file`, `jail`',
        ),
      },
      returns: ret.any('The values by file and variable; None for an unknown variable'),
      example: 'sysrc.get name=sshd_enable',
      run: async (ctx, { kwargs }) => {
        const all = truthy(kwargs.get('includeDefaults') ?? null) ? '-A' : '-a'
        const output = await outputOf(ctx, [...place(kwargs), str(kwargs.get('name') ?? all)])
        return output.includes('sysrc: unknown variable') ? null : parsed(output, (value) => value)
      },
    }),
    set: changes({
      doc: 'Set a variable.',
      args: { name, value: arg.any('Value: text, number or boolean; other types are refused'), kwargs: further },
      returns: ret.dict('The new value by file and variable'),
      example: "sysrc.set name=sshd_flags value='-p 2222'",
      calledAs: 'set_',
      run: async (ctx, { name, value, kwargs }) => {
        const { retcode, stdout, stderr } = await runAll(ctx, [...place(kwargs), `${name}=${shown(value)}`])
        if (retcode !== 0) throw failure(`sysrc failed: ${stderr}`)
        return parsed(stdout, (change) => change.trim().split('->')[1] ?? '')
      },
    }),
    remove: changes({
      doc: 'Remove a variable.',
      args: { name, kwargs: further },
      returns: ret.string('A text that says so'),
      example: 'sysrc.remove name=sshd_enable',
      run: async (ctx, { name, kwargs }) => {
        const output = await outputOf(ctx, [...place(kwargs), '-x', name])
        if (output.includes('sysrc: unknown variable')) throw failure(output)
        return `${name} removed`
      },
    }),
  },
})
