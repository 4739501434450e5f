// States of TuneD's profiles.
import { splitWords, truthy, type Value } from '../../../data/mod.ts'
import { arg, changed, defineState, ensure, failed, foreseen, settled, state } from '../../../sdk/mod.ts'

const SETTLED = 'System already in the correct state'

/** Return whether no profile is active: versions of tuned-adm and users' modules say it in different words. */
const isOff = (active: Value): boolean => active === 'none' || active === 'off'

/** Return whether two texts name the same profiles. */
const isSame = (one: string, other: string): boolean => splitWords(one).join(' ') === splitWords(other).join(' ')

export default defineState({
  name: 'tuned',
  doc: 'Manage profiles of TuneD.',
  functions: {
    profile: state({
      doc: 'Ensure that a profile is active.',
      args: { name: arg.text('Profile, as `tuned.list` names it; several with blanks between them are merged') },
      run: (ctx, { name }) =>
        ensure(ctx, {
          name,
          look: async () => {
            const old = await ctx.call('tuned.active')
            const known = await ctx.call('tuned.list')
            const words = splitWords(name)
            const isKnown = known.includes(name) || (words.length > 0 && words.every((word) => known.includes(word)))
            if (!isKnown) return failed('Invalid Profile Name')
            return isSame(old, name) ? settled(SETTLED) : old
          },
          foresee: (old) =>
            foreseen(`The state of "${old}" will be changed.`, { old, new: `Profile will be set to ${name}` }),
          act: async (old) => {
            const now = await ctx.call('tuned.profile', [name])
            if (!truthy(now)) return failed(`Failed to activate profile ${name}`)
            return changed(`The state of "${name}" was changed!`, { old, new: now })
          },
        }),
    }),
    off: state({
      doc: 'Ensure that no profile is active.',
      args: { name: arg.text('Ignored', { optional: true }) },
      run: (ctx) =>
        ensure(ctx, {
          name: 'off',
          look: async () => {
            const old = await ctx.call('tuned.active')
            return isOff(old) ? settled(SETTLED) : old
          },
          foresee: (old) =>
            foreseen(`The state of "${old}" will be changed.`, { old, new: 'Profile will be set to off' }),
          act: async (old) =>
            truthy(await ctx.call('tuned.off'))
              ? changed('off', { old, new: 'off' })
              : failed('Failed to turn off tuned'),
        }),
    }),
  },
})
