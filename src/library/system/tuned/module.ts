// Profiles of TuneD, through the program tuned-adm.
import { failure, misuse, splitWords } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret, runAll, succeeds } from '../../../sdk/mod.ts'

/** Return the output of a tuned-adm command; its warnings go to stderr. */
async function printed(ctx: FunctionContext, command: string): Promise<string> {
  const { retcode, stdout, stderr } = await runAll(ctx, ['tuned-adm', command])
  if (retcode !== 0) throw failure(`tuned-adm ${command} failed: ${stderr || stdout}`)
  return stdout
}

/** Return the names in lines such as `- balanced   - General profile`. */
function profileNames(text: string): string[] {
  const [listed = ''] = text.split('** COLLECTED WARNINGS **')
  return [...listed.matchAll(/^ *- (.+?) *(?: - .*)?$/gm)].map(([, name]) => name!)
}

/** Return the arguments for tuned-adm, which would treat one that begins with `-` as an option. */
function profileWords(name: string): string[] {
  const words = splitWords(name)
  if (words.length > 0 && words.every((word) => !word.startsWith('-'))) return words
  throw misuse(`Invalid name of a profile '${name}'`)
}

export default defineModule({
  name: 'tuned',
  doc: 'Manage profiles of TuneD.',
  when: async ({ host }) =>
    (await host.which('tuned-adm')) !== undefined ||
    'The tuned execution module failed to load: the tuned-adm binary is not in the path.',
  functions: {
    list: reads({
      doc: 'Return the names of the profiles.',
      returns: ret.texts('Names'),
      run: async (ctx) => profileNames(await printed(ctx, 'list')),
    }),
    active: reads({
      doc: 'Return the active profile.',
      returns: ret.string('Name; several names when profiles are merged; `none` when no profile is active'),
      run: async (ctx) => {
        const { retcode, stdout } = await runAll(ctx, ['tuned-adm', 'active'], { ignore_retcode: true })
        const [, name] = (retcode === 0 && /^Current active profile: (.+)$/m.exec(stdout)) || []
        return name?.trim() ?? 'none'
      },
    }),
    recommend: reads({
      doc: 'Return the profile that TuneD recommends for this machine.',
      returns: ret.string('Name'),
      run: async (ctx) => (await printed(ctx, 'recommend')).trim(),
    }),
    off: changes({
      doc: 'Turn off all profiles.',
      returns: ret.boolean('Whether they were turned off'),
      run: (ctx) => succeeds(ctx, ['tuned-adm', 'off']),
    }),
    profile: changes({
      doc: 'Activate a profile.',
      args: { profile_name: arg.text('Name; TuneD merges the profiles of several names with blanks between them') },
      returns: ret.orFalse(ret.string('The name; False if the profile was not activated')),
      example: 'tuned.profile virtual-guest',
      run: async (ctx, { profile_name }) =>
        (await succeeds(ctx, ['tuned-adm', 'profile', ...profileWords(profile_name)])) && profile_name,
    }),
  },
})
