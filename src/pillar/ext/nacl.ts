// `naclPillar`: opens all boxes in the pillar so far; use it as the last external pillar.
import { openBoxes } from '../../render/mod.ts'
import { arg, defineExtPillar } from '../../sdk/mod.ts'

export const naclPillar = defineExtPillar({
  name: 'nacl',
  doc: 'Open all boxes that the pillar holds so far.',
  args: { args: arg.rest('Ignored'), kwargs: arg.ignored() },
  run: ({ functions }, _args, pillar) => openBoxes(pillar, { ...(functions && { functions }) }),
})
