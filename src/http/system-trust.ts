// Trust in the machine's certificate authorities. Node uses its own list, which lacks authorities that the machine's
// owner added; Salt uses the machine's bundle. Every TLS connection without explicit authorities gets the bundle.
import { existsSync, readFileSync } from 'node:fs'
import tls from 'node:tls'
import { CA_BUNDLES } from './ca-bundles.ts'

let isTrusted = false

/**
 * Trust the system's authorities from now on; no change if there is no bundle, or if Node was given authorities in its
 * own way.
 */
export function trustSystem(bundles = CA_BUNDLES): void {
  if (isTrusted || process.env['NODE_EXTRA_CA_CERTS']) return
  const bundle = bundles.find((path) => existsSync(path))
  if (bundle === undefined) return
  const ca = readFileSync(bundle)
  const createSecureContext = tls.createSecureContext
  tls.createSecureContext = (options) => createSecureContext(options?.ca ? options : { ...options, ca })
  isTrusted = true
}
