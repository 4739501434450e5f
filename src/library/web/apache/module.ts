// Apache: information about the server, signals, configuration from data, and the links of Debian that enable sites,
// modules and configuration snippets.
import { type Dict, float, splitLines, splitWords, str, truthy, type Value } from '../../../data/mod.ts'
import {
  type Arg,
  arg,
  changes,
  defineModule,
  type FunctionContext,
  type FunctionDeclaration,
  operand,
  optionalText,
  type Result,
  reads,
  ret,
} from '../../../sdk/mod.ts'
import { configText } from './module/config-text.ts'

const control = (grains: Dict): string =>
  ['Debian', 'Suse'].includes(str(grains.get('os_family') ?? '')) ? 'apache2ctl' : 'apachectl'

async function output(ctx: FunctionContext, flag: string): Promise<string> {
  return await ctx.call('cmd.run', [`${control(ctx.grains)} ${flag}`])
}

async function fullVersion(ctx: FunctionContext): Promise<Dict> {
  const compiled: Value[] = []
  const found: Dict = new Map<Value, Value>([['compiled_with', compiled]])
  for (const line of splitLines(await output(ctx, '-V'))) {
    const [key, value] = line.split(': ')
    if (value !== undefined) found.set(key!.trim().toLowerCase().replaceAll(' ', '_'), value.trim())
    else if (line.includes(' -D')) compiled.push(line.replace(/^\s+-D\s+/, ''))
  }
  return found
}

function vhostsOf(text: string): Dict {
  const found: Dict = new Map()
  let hosts: Dict = new Map()
  const bare = (word: string | undefined): string => (word ?? '').replace(/[()]/g, '')
  for (const line of splitLines(text)) {
    const words = splitWords(line)
    if (words.length === 0) continue
    if (line.includes('is a NameVirtualHost')) {
      hosts = new Map()
      found.set(words[0]!, hosts)
    } else if (words[0] === 'default') {
      hosts.set(
        'default',
        new Map([
          ['vhost', words[2] ?? ''],
          ['conf', bare(words[3])],
        ] as [Value, Value][]),
      )
    } else if (words[0] === 'port') {
      const facts: [Value, Value][] = [
        ['vhost', words[3] ?? ''],
        ['conf', bare(words[4])],
        ['port', words[1] ?? ''],
      ]
      hosts.set(words[3]!, new Map(facts))
    }
  }
  return found
}

async function directives(ctx: FunctionContext): Promise<Dict> {
  const lines = splitLines((await output(ctx, '-L')).replaceAll('\n\t', '\t')).filter((line) => line !== '')
  return new Map(lines.map((line) => [line.split('\t')[0]!, line.split('\t').slice(1).join('\n')]))
}

const SIGNALS = ['start', 'stop', 'restart', 'graceful', 'graceful-stop']
const QUESTIONS = ['configtest', 'status', 'fullstatus']

async function signal(ctx: FunctionContext, word: string): Promise<string | null> {
  if (![...SIGNALS, ...QUESTIONS].includes(word)) return null
  const words = `${control(ctx.grains)} ${SIGNALS.includes(word) ? '-k ' : ''}${word}`
  const answer = await ctx.call('cmd.run_all', [words])
  const said = ['stderr', 'stdout'].map((stream) => str(answer.get(stream) ?? '').trim()).find((text) => text !== '')
  return said ?? `Command: "${words}" completed successfully!`
}

async function serverStatus(ctx: FunctionContext, profile: string): Promise<Result> {
  const setting = (name: string, fallback: string): Value | Promise<Value> =>
    ctx.call('config.get', [`apache.server-status:${profile}:${name}`, fallback])
  const [username, password] = [await setting('user', ''), await setting('pass', '')]
  const answer = await ctx.call('http.query', [`${str(await setting('url', 'http://localhost/server-status'))}?auto`], {
    text: true,
    status: true,
    ...(truthy(username) && truthy(password) && { username, password }),
  })
  if (answer.has('error')) return 'error'
  const board: Dict = new Map([...'_SRWKDCLGI.'].map((letter) => [letter, 0]))
  const found: Dict = new Map<Value, Value>([['Scoreboard', board]])
  for (const line of splitLines(str(answer.get('text') ?? answer.get('body') ?? ''))) {
    const [, key, text] = /^\s*([^:]*?)\s*:\s*(.*?)\s*$/.exec(line) ?? []
    if (key === undefined || text === undefined) continue
    if (key === 'Scoreboard') for (const letter of text) board.set(letter, Number(board.get(letter) ?? 0) + 1)
    else if (/^\d+$/.test(text)) found.set(key, Number(text))
    else found.set(key, Number.isNaN(Number(text)) ? text : float(Number(text)))
  }
  return found
}

interface Kind {
  word: 'site' | 'mod' | 'conf'
  folder: string
  doc: string
}

/** Return the names of the possible links; the link of `default` may begin with a number. */
async function isLinked(ctx: FunctionContext, { word, folder }: Kind, name: string): Promise<boolean> {
  const complete = name.endsWith('.conf') || (word === 'mod' && name.endsWith('.load'))
  const file = complete ? name : `${name}${word === 'mod' ? '.load' : '.conf'}`
  const places = [file, ...(word === 'site' && name === 'default' ? [`000-${file}`] : [])]
  for (const place of places) {
    if ((await ctx.host.lstat(`/etc/apache2/${folder}/${place}`))?.type === 'link') return true
  }
  return false
}

async function toggle(ctx: FunctionContext, { word }: Kind, name: string, verb: 'en' | 'dis'): Promise<Dict> {
  const title = `${word[0]!.toUpperCase()}${word.slice(1)}`
  const code = await ctx.call('cmd.retcode', [[`a2${verb}${word}`, operand(`A name of a ${word}`, name)]], {
    python_shell: false,
  })
  const missing = code === (verb === 'en' ? 1 : 256)
  const done = verb === 'en' ? 'enabled' : 'disabled'
  const status = code === 0 ? `${title} ${name} ${done}` : missing ? `${title} ${name} Not found` : code
  return new Map<Value, Value>([
    ['Name', `Apache2 ${verb === 'en' ? 'Enable' : 'Disable'} ${title}`],
    [title, name],
    ['Status', status],
  ])
}

function switches(kind: Kind): Record<string, FunctionDeclaration> {
  const args = { [kind.word]: arg.string(`Name of the ${kind.doc}`) }
  const named = (given: Readonly<Record<string, Value>>): string => str(given[kind.word]!)
  const make = (verb: 'en' | 'dis') =>
    changes({
      doc: `${verb === 'en' ? 'Enable' : 'Disable'} a ${kind.doc}.`,
      args,
      returns: ret.dict('`Name`, the name of the object, and `Status`'),
      example: `apache.a2${verb}${kind.word} example`,
      run: (ctx, given) => toggle(ctx, kind, named(given), verb),
    })
  return {
    [`check_${kind.word}_enabled`]: reads({
      doc: `Return whether a ${kind.doc} is enabled.`,
      args,
      returns: ret.boolean('Whether the link exists'),
      example: `apache.check_${kind.word}_enabled example`,
      run: (ctx, given) => isLinked(ctx, kind, named(given)),
    }),
    [`a2en${kind.word}`]: make('en'),
    [`a2dis${kind.word}`]: make('dis'),
  }
}

function information(
  doc: string,
  name: string,
  run: (ctx: FunctionContext) => Promise<Result>,
  args: Record<string, Arg<Value>> = {},
) {
  return reads({
    doc,
    args,
    returns: ret.any('Output of Apache'),
    example: `apache.${name}`,
    run,
  })
}

export default defineModule({
  name: 'apache',
  doc: 'Manage Apache.',
  when: async ({ host, grains }) =>
    (await host.which(control(grains))) !== undefined ||
    'The apache execution module cannot be loaded: apache is not installed.',
  functions: {
    version: information(
      'Return the version.',
      'version',
      async (ctx) => (await output(ctx, '-v')).split('\n')[0]?.split(': ')[1] ?? '',
    ),
    fullversion: information('Return the version and the build options.', 'fullversion', fullVersion),
    modules: information('Return the static and loaded modules.', 'modules', async (ctx) => {
      const lines = splitLines(await output(ctx, '-M'))
      const of = (kind: string): Value[] =>
        lines.filter((line) => line.includes(kind)).map((line) => splitWords(line)[0]!)
      return { static: of('(static)'), shared: of('(shared)') }
    }),
    servermods: information('Return the static modules.', 'servermods', async (ctx) =>
      splitLines(await output(ctx, '-l'))
        .filter((line) => line.includes('.c'))
        .map((line) => line.trim()),
    ),
    directives: information('Return the directives and their contexts.', 'directives', directives),
    vhosts: information('Return the virtual hosts.', 'vhosts', async (ctx) => vhostsOf(await output(ctx, '-S'))),
    signal: changes({
      doc: 'Start Apache, send it a signal, or return its status.',
      args: {
        signal: optionalText('Signal: start, stop, restart, graceful, graceful-stop, configtest, status and so on'),
      },
      returns: ret.optional(ret.string('Output of Apache; None for an unknown signal')),
      example: 'apache.signal restart',
      run: (ctx, { signal: word }) => signal(ctx, str(word)),
    }),
    useradd: changes({
      doc: 'Add a user to a password file.',
      args: {
        pwfile: arg.text('Path of the password file'),
        user: arg.text('Name of the user'),
        password: arg.text('Password', { secret: true }),
        opts: arg.text('Option letters of htpasswd', { default: '' }),
      },
      returns: ret.dict('What `cmd.run_all` returns'),
      example: 'apache.useradd /etc/httpd/htpasswd larry badpassword',
      run: (ctx, { pwfile, user, password, opts }) => ctx.call('webutil.useradd', [pwfile, user, password, opts]),
    }),
    userdel: changes({
      doc: 'Remove a user from a password file.',
      args: { pwfile: arg.text('Path of the password file'), user: arg.text('Name of the user') },
      returns: ret.any('Lines of htpasswd'),
      example: 'apache.userdel /etc/httpd/htpasswd larry',
      run: (ctx, { pwfile, user }) => ctx.call('webutil.userdel', [pwfile, user]),
    }),
    server_status: reads({
      doc: 'Return the figures of the status page.',
      args: { profile: arg.text('Name of the options with the URL and login of the page', { default: 'default' }) },
      returns: ret.any('Figures by name, or `error`'),
      run: (ctx, { profile }) => serverStatus(ctx, profile),
    }),
    config: changes({
      doc: 'Create a configuration from data, and write it to a file.',
      args: {
        name: arg.string('Path of the file'),
        config: arg.list('Directives and sections'),
        edit: arg.boolean('Whether the file is written', { default: true }),
      },
      returns: ret.string('Text of the configuration'),
      example: `apache.config /etc/httpd/conf.d/ports.conf config="[{'Listen': '22'}]"`,
      run: async (ctx, { name, config, edit }) => {
        const text = configText(config)
        if (edit) await ctx.host.write(name, `# This file is managed by Salt.\n${text}`)
        return text
      },
    }),
    ...switches({ word: 'site', folder: 'sites-enabled', doc: 'site' }),
    ...switches({ word: 'mod', folder: 'mods-enabled', doc: 'module' }),
    ...switches({ word: 'conf', folder: 'conf-enabled', doc: 'configuration snippet' }),
  },
})
