// The nginx program: its version, checks of its configuration, and signals to a running server.
import { type Dict, splitLines, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'

const SIGNALS = ['start', 'reopen', 'stop', 'quit', 'reload']

async function program(ctx: FunctionContext): Promise<string> {
  return (await ctx.host.which('nginx')) ?? 'nginx'
}

async function output(ctx: FunctionContext, flag: string): Promise<string[]> {
  return splitLines(await ctx.call('cmd.run', [`${await program(ctx)} ${flag}`]))
}

async function runAll(ctx: FunctionContext, words: string): Promise<Dict> {
  return ctx.call('cmd.run_all', [words])
}

async function status(ctx: FunctionContext, url: Value): Promise<Dict | null> {
  const answer = await ctx.call('http.query', [url], { text: true })
  const lines = splitLines(str(answer.get('text') ?? answer.get('body') ?? ''))
  if (lines.length !== 4) return null
  const numbers = (line: string): number[] => (line.match(/\d+/g) ?? []).map(Number)
  const names = ['active connections', 'accepted', 'handled', 'requests', 'reading', 'writing', 'waiting']
  const values = [lines[0]!, lines[2]!, lines[3]!].flatMap(numbers)
  return new Map(names.map((name, i) => [name, values[i] ?? 0]))
}

export default defineModule({
  name: 'nginx',
  doc: 'Manage nginx.',
  when: async ({ host }) =>
    (await host.which('nginx')) !== undefined || 'The nginx execution module cannot be loaded: nginx is not installed.',
  functions: {
    version: reads({
      doc: 'Return the version of nginx.',
      returns: ret.string('The version'),
      run: async (ctx) => ((await output(ctx, '-v'))[0] ?? '').replace(/^.*\//, ''),
    }),
    build_info: reads({
      doc: 'Return the build options of nginx.',
      returns: ret.dict('`info` and `build arguments`'),
      run: async (ctx) => {
        const lines = await output(ctx, '-V')
        const line = lines.find((each) => each.startsWith('configure argument'))
        const info = lines.filter((each) => each !== line)
        const found: Dict = new Map<Value, Value>([['info', info]])
        if (line !== undefined) found.set('build arguments', (line.match(/[^\s]*'.*'|[^\s]+/g) ?? []).slice(2))
        return found
      },
    }),
    configtest: reads({
      doc: 'Check the configuration of nginx.',
      returns: ret.dict('`comment`, `result`, and what nginx said'),
      run: async (ctx) => {
        const answer = await runAll(ctx, `${await program(ctx)} -t`)
        const said = answer.get('stderr') ?? ''
        if (answer.get('retcode') !== 0) return { comment: 'Syntax Error', stderr: said, result: false }
        return { comment: 'Syntax OK', stdout: said, result: true }
      },
    }),
    signal: changes({
      doc: 'Start nginx, or send it a signal.',
      args: { signal: arg.text('Signal: start, reopen, stop, quit or reload', { optional: true }) },
      returns: ret.optional(ret.string('What nginx said')),
      example: 'nginx.signal reload',
      run: async (ctx, { signal }) => {
        if (!SIGNALS.includes(str(signal))) return null
        const words = `${await program(ctx)}${signal === 'start' ? '' : ` -s ${str(signal)}`}`
        const answer = await runAll(ctx, words)
        const said = ['stderr', 'stdout']
          .map((stream) => str(answer.get(stream) ?? '').trim())
          .find((text) => text !== '')
        return said ?? `Command: "${words}" completed successfully!`
      },
    }),
    status: reads({
      doc: 'Return the figures of the status page.',
      args: { url: arg.text('URL of the status page', { default: 'http://127.0.0.1/status' }) },
      returns: ret.optional(ret.dict('Connections and requests')),
      run: (ctx, { url }) => status(ctx, url),
    }),
  },
})
