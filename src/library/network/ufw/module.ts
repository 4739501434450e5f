// The firewall ufw, with the functions that the ufw formula brings along. In a dry run ufw itself predicts.
import { shlexSplit, str, truthy } from '../../../data/mod.ts'
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
    is_enabled: reads('Whether the firewall is on.', 'ufw.is_enabled', {}, async (ctx) =>
      (await outputOf(ctx, ['ufw', 'status'])).includes('Status: active'),
    ),
    get_default_incoming: reads('The policy for incoming packets.', 'ufw.get_default_incoming', {}, (ctx) =>
      defaultFor(ctx, 'incoming'),
    ),
    get_default_outgoing: reads('The policy for outgoing packets.', 'ufw.get_default_outgoing', {}, (ctx) =>
      defaultFor(ctx, 'outgoing'),
    ),
    set_enabled: changes(
      'Turn the firewall on or off.',
      'ufw.set_enabled True',
      { enabled: arg.any('Whether it is on') },
      async (ctx, { enabled }) => {
        await changing(ctx, ...(truthy(enabled) ? ['--force', 'enable'] : ['disable']))
        return null
      },
    ),
    add_rule: changes(
      'Add a rule; what ufw says about it.',
      "ufw.add_rule 'allow 22/tcp'",
      { rule: arg.any('The rule in the words of ufw') },
      (ctx, { rule }) => changing(ctx, ...shlexSplit(str(rule))),
    ),
  },
})
