// `naclPillar`: opens all boxes that the pillar holds so far; meant as the last of several external pillars.
import { openBoxes } from '../../render/mod.ts'
import type { ExtPillar } from '../ext-pillar.ts'

export const naclPillar: ExtPillar = {
  parameters: [],
  required: 0,
  rest: true,
  open: true,
  run: ({ functions }, _args, pillar) => openBoxes(pillar, { ...(functions && { functions }) }),
}
