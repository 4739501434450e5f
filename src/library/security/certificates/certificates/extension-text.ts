// Extensions of a certificate in the one-line form of OpenSSL.
import { lookup } from '../../../../base/mod.ts'
import { type Dict, dictFrom, isDict, isList, str, truthy, type Value } from '../../../../data/mod.ts'

const USAGES: Readonly<Record<string, string>> = {
  digitalSignature: 'Digital Signature',
  nonRepudiation: 'Non Repudiation',
  keyEncipherment: 'Key Encipherment',
  dataEncipherment: 'Data Encipherment',
  keyAgreement: 'Key Agreement',
  keyCertSign: 'Certificate Sign',
  cRLSign: 'CRL Sign',
  encipherOnly: 'Encipher Only',
  decipherOnly: 'Decipher Only',
}

const PURPOSES: Readonly<Record<string, string>> = lookup({
  serverAuth: 'TLS Web Server Authentication',
  clientAuth: 'TLS Web Client Authentication',
  codeSigning: 'Code Signing',
  emailProtection: 'E-mail Protection',
  timeStamping: 'Time Stamping',
  OCSPSigning: 'OCSP Signing',
})

const KINDS: Readonly<Record<string, string>> = lookup({ IP: 'IP Address', mail: 'email' })

const listed = (value: Value): string[] => (isList(value) ? [...value].map(str) : truthy(value) ? [str(value)] : [])

/** `IP:10.0.0.1` becomes `IP Address:10.0.0.1`. */
function nameText(name: string): string {
  const kind = name.slice(0, name.indexOf(':'))
  return `${KINDS[kind] ?? kind}${name.slice(name.indexOf(':'))}`
}

function constraints(extension: Dict): string {
  const length = extension.get('pathlen') ?? null
  return `CA:${truthy(extension.get('ca') ?? false) ? 'TRUE' : 'FALSE'}${length === null ? '' : `, pathlen:${str(length)}`}`
}

const TEXTS: Readonly<Record<string, (extension: Dict) => string>> = lookup({
  basicConstraints: constraints,
  keyUsage: (extension) =>
    Object.entries(USAGES)
      .filter(([name]) => truthy(extension.get(name) ?? false))
      .map(([, text]) => text)
      .join(', '),
  extendedKeyUsage: (extension) =>
    listed(extension.get('value') ?? null)
      .map((name) => PURPOSES[name] ?? name)
      .join(', '),
  authorityKeyIdentifier: (extension) => str(extension.get('keyid') ?? ''),
  subjectAltName: (extension) =>
    listed(extension.get('value') ?? null)
      .map(nameText)
      .join(', '),
})

/** Return the short name and text of each extension. */
export function extensionTexts(rendered: Dict): Dict[] {
  return [...rendered].map(([name, extension]) => {
    const own: Dict = isDict(extension) ? extension : new Map()
    const text = TEXTS[str(name)]?.(own) ?? listed(own.get('value') ?? null).join(', ')
    return dictFrom({ ext_name: name, ext_data: text })
  })
}
