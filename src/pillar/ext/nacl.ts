// `naclPillar`: opens all boxes that the pillar holds so far; meant as the last of several external pillars.
import { openBoxes } from '../../render/mod.ts'
import { arg, defineExtPillar } from '../../sdk/mod.ts'

export const naclPillar = defineExtPillar({
  name: 'nacl',
  doc: 'Open all boxes that the pillar holds so far.',
  args: { args: arg.rest('Ignored'), kwargs: arg.ignored() },
  run: ({ functions }, _args, pillar) => openBoxes(pillar, { ...(functions && { functions }) }),
})
