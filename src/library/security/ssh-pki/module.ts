// Keys and certificates of OpenSSH (ssh_pki).
import { misuse, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, reads, ret } from '../../../sdk/mod.ts'
import { remoteSigning } from '../common/authority.ts'
import { generateKey } from '../common/generate-key.ts'
import { encodePrivateKey, fromPrivateNodeKey } from './format/private-key.ts'
import { isSameKey, keyLine, sizeOfKey } from './format/public-key.ts'
import { issueCertificate, refuseExisting, signForOther, signingPolicy } from './module/issuing.ts'
import { readCertificate } from './module/reading.ts'
import { anyPublicKey, certificate, isSigned, privateKey } from './module/sources.ts'
import { secondsOf } from './module/times.ts'

const raw = arg.boolean('Whether to return bytes', { default: false })
const path = arg.text('Path of the file to write; the result is returned if not given', { optional: true })
const overwrite = arg.boolean('Whether to replace a file', { default: false })
const source = (noun: string) => arg.any(`${noun}: path, text or bytes`)
const passphrase = arg.text('Passphrase of the key', { optional: true, secret: true })

const issuing = {
  args: {
    ca_server: arg.text('Minion id of the authority; this minion if not given', { optional: true }),
    signing_policy: arg.text('Signing policy', { optional: true }),
    ...{ path, overwrite, raw },
    kwargs: arg.open('Keys, type, principals, times, critical options and extensions'),
  },
  returns: ret.any('The certificate, or where it was written'),
  run: issueCertificate,
} as const

const creating = {
  create_certificate: changes({
    doc: 'Create a certificate: sign it here, or request it from another minion.',
    example: 'ssh_pki.create_certificate signing_private_key=/etc/pki/ssh/ca.key public_key=/root/.ssh/id_rsa.pub',
    ...issuing,
  }),
  create_certificate_ssh: changes({
    doc: 'Create a certificate: create_certificate by another name.',
    example: 'ssh_pki.create_certificate_ssh signing_private_key=/etc/pki/ssh/ca.key public_key=/root/.ssh/id_rsa.pub',
    ...issuing,
  }),
  create_private_key: changes({
    doc: 'Create a private key.',
    args: {
      algo: arg.text('rsa, ec or ed25519', { default: 'rsa' }),
      keysize: arg.count('Key size in bits; 3072 for rsa and 256 for ec if not given', { optional: true }),
      ...{ passphrase, path },
      pubkey_suffix: arg.any('Suffix of the file for the public key, as text; False to write none', {
        default: '.pub',
      }),
      ...{ overwrite, raw },
    },
    returns: ret.any('The private and the public key, or where they were written'),
    example: 'ssh_pki.create_private_key algo=ec keysize=384',
    run: async (ctx, { algo, keysize, passphrase, path, pubkey_suffix, overwrite, raw }) => {
      if (!['rsa', 'ec', 'ed25519'].includes(algo)) {
        throw misuse(`Invalid algorithm specified for generating private key: ${algo}. Valid: rsa, ec, ed25519`)
      }
      await refuseExisting(ctx, path, overwrite)
      const made = fromPrivateNodeKey(generateKey(algo, keysize ?? (algo === 'rsa' ? 3072 : null)))
      const text = encodePrivateKey(made, passphrase)
      if (path === null) {
        if (raw) return new Uint8Array(Buffer.from(text))
        return new Map<Value, Value>([['private_key', text]]).set('public_key', keyLine(made.public))
      }
      await ctx.host.write(path, text, { mode: 0o600 })
      if (typeof pubkey_suffix === 'string' && pubkey_suffix !== '') {
        await ctx.host.write(`${path}${pubkey_suffix}`, keyLine(made.public))
      }
      return `Private key written to ${path}`
    },
  }),
  encode_private_key: reads({
    doc: 'Return a private key with another passphrase, or without one.',
    args: {
      private_key: source('Private key'),
      private_key_passphrase: passphrase,
      passphrase: arg.text('New passphrase', { optional: true, secret: true }),
      raw,
    },
    returns: ret.any('The key'),
    example: 'ssh_pki.encode_private_key /root/.ssh/id_rsa passphrase=hunter1',
    run: async (ctx, { private_key, private_key_passphrase, passphrase, raw }) => {
      const text = encodePrivateKey(await privateKey(ctx, private_key, private_key_passphrase), passphrase)
      return raw ? new Uint8Array(Buffer.from(text)) : text
    },
  }),
  sign_remote_certificate: remoteSigning(
    "ssh_pki.sign_remote_certificate www kwargs='{public_key: /etc/pki/ssh/www.key}'",
    signForOther,
  ),
}

const facts = {
  expires: reads({
    doc: 'Return whether a certificate is expired, or will be after some time.',
    args: {
      certificate: source('Certificate'),
      ttl: arg.any('Seconds from now, as a number or a text such as 30d', { default: 0 }),
    },
    returns: ret.boolean('Whether it is'),
    example: 'ssh_pki.expires /root/.ssh/id_rsa-cert.pub ttl=7d',
    run: async (ctx, { certificate: given, ttl }) =>
      Number((await certificate(ctx, given)).validBefore) <= ctx.host.now() + (secondsOf(ttl) ?? 0),
  }),
  get_private_key_size: reads({
    doc: 'Return the size of a private key.',
    args: { private_key: source('Private key'), passphrase },
    returns: ret.any('The size in bits; None for keys on Edwards curves'),
    example: 'ssh_pki.get_private_key_size /root/.ssh/id_rsa',
    run: async (ctx, { private_key, passphrase }) => sizeOfKey((await privateKey(ctx, private_key, passphrase)).public),
  }),
  get_public_key: reads({
    doc: 'Return the public key of a public key, a certificate or a private key.',
    args: { key: source('Object to read'), passphrase },
    returns: ret.string('The key as a line of a file'),
    example: 'ssh_pki.get_public_key /root/.ssh/id_rsa',
    run: async (ctx, { key, passphrase }) => keyLine(await anyPublicKey(ctx, key, passphrase)),
  }),
  get_signing_policy: reads({
    doc: 'Return a signing policy of this or another minion.',
    args: {
      signing_policy: arg.any('Name of the policy, as text; None for an empty policy'),
      ca_server: arg.text('Minion id of the authority', { optional: true }),
    },
    returns: ret.dict('The policy'),
    example: 'ssh_pki.get_signing_policy www',
    run: (ctx, { signing_policy, ca_server }) => signingPolicy(ctx, signing_policy, ca_server),
  }),
  read_certificate: reads({
    doc: 'Return the contents of a certificate.',
    args: { certificate: source('Certificate') },
    returns: ret.dict('The contents'),
    example: 'ssh_pki.read_certificate /root/.ssh/id_rsa-cert.pub',
    run: (ctx, { certificate }) => readCertificate(ctx, certificate),
  }),
  verify_private_key: reads({
    doc: 'Return whether a private key belongs to a public key.',
    args: { private_key: source('Private key'), public_key: source('Public key or certificate'), passphrase },
    returns: ret.boolean('Whether it does'),
    example: 'ssh_pki.verify_private_key /root/.ssh/id_rsa /root/.ssh/id_rsa-cert.pub',
    run: async (ctx, { private_key, public_key, passphrase }) =>
      isSameKey((await privateKey(ctx, private_key, passphrase)).public, await anyPublicKey(ctx, public_key, null)),
  }),
  verify_signature: reads({
    doc: 'Return whether a certificate was signed by a key.',
    args: {
      certificate: source('Certificate'),
      signing_pub_key: source('Public key, certificate or private key'),
      signing_pub_key_passphrase: passphrase,
    },
    returns: ret.boolean('Whether it was'),
    example: 'ssh_pki.verify_signature /root/.ssh/id_rsa-cert.pub /etc/pki/ssh/ca.pub',
    run: async (ctx, { certificate: given, signing_pub_key, signing_pub_key_passphrase }) => {
      const held = await certificate(ctx, given, false)
      const key = await anyPublicKey(ctx, signing_pub_key, signing_pub_key_passphrase)
      return isSigned(held) && isSameKey(held.signedBy, key)
    },
  }),
}

export default defineModule({
  name: 'ssh_pki',
  doc: 'Manage keys and certificates of OpenSSH.',
  functions: { ...creating, ...facts },
})
