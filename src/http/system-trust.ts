// Trust in the machine's certificate authorities. Node has a list of its own instead, which lacks those that the owner
// of a machine added; Salt takes the machine's bundle. Every TLS connection without authorities of its own gets them.
import { existsSync, readFileSync } from 'node:fs'
import tls from 'node:tls'
import { CA_BUNDLES } from './ca-bundles.ts'

let isTrusted = false

/** From now on; nothing changes where there is no bundle, or where Node was given authorities by its own means. */
export function trustSystem(bundles = CA_BUNDLES): void {
  if (isTrusted || process.env['NODE_EXTRA_CA_CERTS']) return
  const bundle = bundles.find((path) => existsSync(path))
  if (bundle === undefined) return
  const ca = readFileSync(bundle)
  const createSecureContext = tls.createSecureContext
  tls.createSecureContext = (options) => createSecureContext(options?.ca ? options : { ...options, ca })
  isTrusted = true
}
