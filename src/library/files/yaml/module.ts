// Problems that yamllint finds in YAML files of the file server, by rules that suit SLS files.
import { decodeBytes, failure, splitLines, str, tuple, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, reads } from '../../../sdk/mod.ts'

const RULES =
  '{extends: relaxed, rules: {line-length: {max: 256, level: warning}, empty-lines: disable, trailing-spaces: disable, ' +
  'key-ordering: disable, empty-values: {forbid-in-block-mappings: false, forbid-in-flow-mappings: true}}}'

/** `stdin:2:1: [error] what is wrong (rule)`. */
function problemOf(line: string): Array<Map<string, Value>> {
  const [, row, column, level, comment] = /^[^:]*:(\d+):(\d+): \[(\w+)\] (.*)$/.exec(line) ?? []
  if (comment === undefined) return []
  return [
    new Map<string, Value>([
      ['line', Number(row)],
      ['column', Number(column)],
      ['level', level!],
      ['comment', comment],
    ]),
  ]
}

async function lint(ctx: FunctionContext, text: string): Promise<{ source: string; problems: Value[] }> {
  const argv = ['yamllint', '-d', RULES, '-f', 'parsable', '-']
  const { retcode, stdout, stderr } = await ctx.host.run({ argv, stdin: text })
  const problems = splitLines(decodeBytes(stdout)).flatMap(problemOf)
  if (retcode !== 0 && problems.length === 0) throw failure(decodeBytes(stderr))
  return { source: text, problems }
}

export default defineModule({
  name: 'yaml',
  doc: 'Check YAML files.',
  when: async ({ host }) => (await host.which('yamllint')) !== undefined || 'yamllint not installed',
  functions: {
    lint: reads({
      doc: 'Check a file with yamllint.',
      example: 'yaml.lint salt://example/bad_yaml.sls',
      args: {
        source: arg.text('URL of the file'),
        saltenv: arg.text('Salt environment of the file', { optional: true }),
        pre_render: arg.text('Renderer pipe to run the file through first', { optional: true }),
        kwargs: arg.open('Variables of the renderers'),
      },
      run: async (ctx, { source, saltenv, pre_render, kwargs }) => {
        const env = saltenv ?? (await ctx.call('config.get', ['saltenv', 'base'])) ?? 'base'
        if (pre_render === null) {
          const cached = await ctx.call('cp.cache_file', [source, env])
          if (cached === false) return tuple([false, 'Template was unable to be cached'])
          return lint(ctx, decodeBytes(await ctx.host.read(cached)))
        }
        const own: Array<[string, Value]> = [
          ['saltenv', env],
          ['path', source],
          ['default_renderer', pre_render],
        ]
        return lint(ctx, str(await ctx.call('slsutil.renderer', [], new Map([...kwargs, ...own]))))
      },
    }),
  },
})
