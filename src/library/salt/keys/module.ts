// Fingerprints of the keys that this minion has: its own, and the one it knows of its master.
import { arg, defineModule, type FunctionContext, option, pemFingerprint, reads } from '../../../sdk/mod.ts'

const hash_type = arg.string('The hash to make it with, `hash_type` of the options unless given', { optional: true })

/** Empty while there is no such key. */
async function fingerprint({ host, opts }: FunctionContext, file: string, hash: string | null): Promise<string> {
  const path = `${option(opts, 'pki_dir')}/${file}`
  if ((await host.stat(path))?.type !== 'file') return ''
  const pem = Buffer.from(await host.read(path)).toString('latin1')
  return pemFingerprint(pem, hash ?? option(opts, 'hash_type'))
}

export default defineModule({
  name: 'key',
  doc: "Fingerprints of the minion's keys.",
  functions: {
    finger: reads({
      doc: "The fingerprint of the minion's public key.",
      example: 'key.finger',
      args: { hash_type },
      run: (ctx, { hash_type }) => fingerprint(ctx, 'minion.pub', hash_type),
    }),
    finger_master: reads({
      doc: "The fingerprint of the master's public key as this minion knows it.",
      example: 'key.finger_master',
      args: { hash_type },
      run: (ctx, { hash_type }) => fingerprint(ctx, 'minion_master.pub', hash_type),
    }),
  },
})
