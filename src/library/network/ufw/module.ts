// The firewall ufw: the functions that the ufw formula ships. In a dry run, `ufw --dry-run` makes the prediction.
import { shlexSplit } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, option, outputOf, reads } from '../../../sdk/mod.ts'

const changing = (ctx: FunctionContext, ...words: string[]): Promise<string> =>
  outputOf(ctx, ['ufw', ...(option(ctx.opts, 'test') ? ['--dry-run'] : []), ...words])

/** Return the default policy of a direction, from `Default: deny (incoming), allow (outgoing), …`. */
async function defaultFor(ctx: FunctionContext, direction: string): Promise<string | null> {
  const text = await outputOf(ctx, ['ufw', 'status', 'verbose'])
  return new RegExp(`^Default:.*?(\\w+) \\(${direction}\\)`, 'm').exec(text)?.[1] ?? null
}

export default defineModule({
  name: 'ufw',
  doc: 'Manage the firewall ufw.',
  when: async ({ host }) => (await host.which('ufw')) !== undefined || 'The program ufw was not found',
  functions: {
    is_enabled: reads({
      doc: 'Return whether the firewall is enabled.',
      run: async (ctx) => (await outputOf(ctx, ['ufw', 'status'])).includes('Status: active'),
    }),
    get_default_incoming: reads({
      doc: 'Return the default policy for incoming packets.',
      run: (ctx) => defaultFor(ctx, 'incoming'),
    }),
    get_default_outgoing: reads({
      doc: 'Return the default policy for outgoing packets.',
      run: (ctx) => defaultFor(ctx, 'outgoing'),
    }),
    set_enabled: changes({
      doc: 'Enable or disable the firewall.',
      example: 'ufw.set_enabled True',
      args: { enabled: arg.flag('True to enable the firewall') },
      run: async (ctx, { enabled }) => {
        await changing(ctx, ...(enabled ? ['--force', 'enable'] : ['disable']))
        return null
      },
    }),
    add_rule: changes({
      doc: 'Add a rule, and return the output of ufw.',
      example: "ufw.add_rule 'allow 22/tcp'",
      args: { rule: arg.text('Rule in the syntax of ufw') },
      run: (ctx, { rule }) => changing(ctx, ...shlexSplit(rule)),
    }),
  },
})
