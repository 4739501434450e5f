// The contents of an OpenSSH certificate.
import { createHash } from 'node:crypto'
import type { Dict, Value } from '../../../../data/mod.ts'
import { type FunctionContext, option, x509 } from '../../../../sdk/mod.ts'
import { keyBlob, keyLine, kindOfKey, type PublicKey, sizeOfKey } from '../format/public-key.ts'
import { certificate } from './sources.ts'
import { timeText } from './times.ts'

const named = (options: ReadonlyMap<string, string>): Dict =>
  new Map([...options].map(([name, value]): [Value, Value] => [name, value === '' ? true : value]))

export async function readCertificate(ctx: FunctionContext, source: Value): Promise<Dict> {
  const held = await certificate(ctx, source)
  const { decimalToHex } = await x509()
  const prints = (key: PublicKey): Dict => {
    const blob = keyBlob(key)
    const found: Dict = new Map<Value, Value>([['sha256', createHash('sha256').update(blob).digest('base64')]])
    if (option(ctx.opts, 'fips_mode')) return found
    const digits = createHash('md5').update(blob).digest('hex')
    return found.set('md5', digits.match(/../g)!.join(':'))
  }
  const facts: Record<string, Value> = {
    cert_type: held.type,
    valid_principals: held.principals.length === 0 ? 'all' : [...held.principals],
    ...{ key_id: held.keyId, key_size: sizeOfKey(held.key), key_type: kindOfKey(held.key) },
    serial_number: decimalToHex(held.serial),
    issuer_public_key: keyLine(held.signedBy),
    not_before: timeText(Number(held.validAfter)),
    not_after: timeText(Number(held.validBefore)),
    public_key: keyLine(held.key),
    critical_options: named(held.criticalOptions),
    extensions: named(held.extensions),
    issuer_public_key_fingerprints: prints(held.signedBy),
    public_key_fingerprints: prints(held.key),
  }
  return new Map(Object.entries(facts))
}
