// `gpgPillar`: decrypts all that the pillar holds so far; meant as the last of several external pillars.
import { decrypt } from '../../render/mod.ts'
import type { ExtPillar } from '../ext-pillar.ts'

export const gpgPillar: ExtPillar = {
  parameters: [],
  required: 0,
  rest: true,
  open: true,
  run: ({ opts, log, functions }, _args, pillar) => decrypt(pillar, { opts, log, ...(functions && { functions }) }),
}
