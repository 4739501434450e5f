// `gpgPillar`: decrypts all values of the pillar so far; use it as the last external pillar.
import { decrypt } from '../../render/mod.ts'
import { arg, defineExtPillar } from '../../sdk/mod.ts'

export const gpgPillar = defineExtPillar({
  name: 'gpg',
  doc: 'Decrypt all that the pillar holds so far.',
  args: { args: arg.rest('Ignored'), kwargs: arg.ignored() },
  run: ({ opts, log, functions }, _args, pillar) => decrypt(pillar, { opts, log, ...(functions && { functions }) }),
})
