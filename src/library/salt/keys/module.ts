// Fingerprints of the keys of this minion: its own key, and the key of its master.
import { arg, defineModule, type FunctionContext, option, pemFingerprint, reads } from '../../../sdk/mod.ts'

const hash_type = arg.string('Hash algorithm of the fingerprint. Default: the option `hash_type`', { optional: true })

/** Return the fingerprint of a key file; empty if the file does not exist. */
async function fingerprint({ host, opts }: FunctionContext, file: string, hash: string | null): Promise<string> {
  const path = `${option(opts, 'pki_dir')}/${file}`
  if ((await host.stat(path))?.type !== 'file') return ''
  const pem = Buffer.from(await host.read(path)).toString('latin1')
  return pemFingerprint(pem, hash ?? option(opts, 'hash_type'))
}

export default defineModule({
  name: 'key',
  doc: 'Return the fingerprints of the keys of the minion.',
  functions: {
    finger: reads({
      doc: 'Return the fingerprint of the public key of the minion.',
      args: { hash_type },
      run: (ctx, { hash_type }) => fingerprint(ctx, 'minion.pub', hash_type),
    }),
    finger_master: reads({
      doc: 'Return the fingerprint of the public key of the master, as this minion has it.',
      args: { hash_type },
      run: (ctx, { hash_type }) => fingerprint(ctx, 'minion_master.pub', hash_type),
    }),
  },
})
