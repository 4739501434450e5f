// The firewall ufw, with the functions that the ufw formula brings along. In a dry run ufw itself predicts.
import { shlexSplit, truthy } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, option, outputOf, reads } from '../../../sdk/mod.ts'

const changing = (ctx: FunctionContext, ...words: string[]): Promise<string> =>
  outputOf(ctx, ['ufw', ...(option(ctx.opts, 'test') ? ['--dry-run'] : []), ...words])

/** What happens to packets that no rule is about: `deny (incoming), allow (outgoing), …`. */
async function defaultFor(ctx: FunctionContext, direction: string): Promise<string | null> {
  const text = await outputOf(ctx, ['ufw', 'status', 'verbose'])
  return new RegExp(`^Default:.*?(\\w+) \\(${direction}\\)`, 'm').exec(text)?.[1] ?? null
}

export default defineModule({
  name: 'ufw',
  doc: 'Work with the firewall ufw.',
  when: async ({ host }) => (await host.which('ufw')) !== undefined || 'The program ufw was not found',
  functions: {
    is_enabled: reads({
      doc: 'Whether the firewall is on.',
      example: 'ufw.is_enabled',
      args: {},
      run: async (ctx) => (await outputOf(ctx, ['ufw', 'status'])).includes('Status: active'),
    }),
    get_default_incoming: reads({
      doc: 'The policy for incoming packets.',
      example: 'ufw.get_default_incoming',
      args: {},
      run: (ctx) => defaultFor(ctx, 'incoming'),
    }),
    get_default_outgoing: reads({
      doc: 'The policy for outgoing packets.',
      example: 'ufw.get_default_outgoing',
      args: {},
      run: (ctx) => defaultFor(ctx, 'outgoing'),
    }),
    set_enabled: changes({
      doc: 'Turn the firewall on or off.',
      example: 'ufw.set_enabled True',
      args: { enabled: arg.any('Whether it is on') },
      run: async (ctx, { enabled }) => {
        await changing(ctx, ...(truthy(enabled) ? ['--force', 'enable'] : ['disable']))
        return null
      },
    }),
    add_rule: changes({
      doc: 'Add a rule; what ufw says about it.',
      example: "ufw.add_rule 'allow 22/tcp'",
      args: { rule: arg.text('The rule in the words of ufw') },
      run: (ctx, { rule }) => changing(ctx, ...shlexSplit(rule)),
    }),
  },
})
