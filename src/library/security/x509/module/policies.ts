// Signing policies of an authority for certificates, of this or another minion.
import type { Dict, Value } from '../../../../data/mod.ts'
import { type FunctionContext, x509 } from '../../../../sdk/mod.ts'
import { type Kind, localPolicy, remotePolicy } from '../../common/authority.ts'
import { certificate } from './sources.ts'

export const X509: Kind = { module: 'x509', option: 'x509_signing_policies' }

export async function signingPolicy(ctx: FunctionContext, name: Value, server: string | null): Promise<Dict> {
  const readable = async (policy: Dict): Promise<Dict> => {
    const source = policy.get('signing_cert')
    if (source === undefined) return policy
    return policy.set('signing_cert', (await x509()).toPem('CERTIFICATE', (await certificate(ctx, source)).raw))
  }
  const policy =
    server === null ? await localPolicy(ctx, X509, name) : await remotePolicy(ctx, X509, [server, name], readable)
  return (await x509()).withShortNames(policy as ReadonlyMap<string, Value>) as Dict
}
