// Why TLS with a master did not come about, in words that name the master's address and the part of the option `ssl` to look at.
import { connect } from 'node:tls'
import { certificateProblem } from '../../base/mod.ts'
import { isWireError, WireError } from '../errors.ts'
import { endpointText } from './endpoint.ts'
import type { Endpoint, SocketOptions, TlsSettings } from './transport.ts'

const filed = (file: string | undefined): string => (file ? `(${file})` : '(not set)')

interface Cause {
  code: RegExp
  why: (ssl: TlsSettings, said: string) => string
}

/** By Node's error codes: results of its own checks, and alerts of the peer. */
const CAUSES: readonly Cause[] = [
  {
    code: /^CERT_HAS_EXPIRED$|^CERT_NOT_YET_VALID$/,
    why: (_, said) => `the certificate of the master is out of its time, look at ssl: certfile there: ${said}`,
  },
  {
    code: /ALTNAME/,
    why: (_, said) => `the certificate of the master, ssl: certfile there, is for another name: ${said}`,
  },
  {
    code: /^(?:DEPTH_ZERO_)?SELF_SIGNED|^UNABLE_TO_|^CERT_|^INVALID_CA$|^PATH_LENGTH/,
    why: ({ ca_certs }, said) =>
      `the certificate of the master is not one that ssl: ca_certs ${filed(ca_certs)} answers for: ${said}`,
  },
  {
    code: /WRONG_VERSION_NUMBER|HTTP_REQUEST|HTTPS_PROXY|PACKET_LENGTH|UNEXPECTED_MESSAGE|RECORD_TOO_|^EPROTO/,
    why: () => 'what answers there does not speak TLS, which ssl here asks for',
  },
  {
    code: /ALERT_.*(?:CERTIFICATE|UNKNOWN_CA)|ALERT_ACCESS_DENIED|ALERT_DECRYPT/,
    why: ({ certfile }, said) => `the master refuses the certificate of ssl: certfile ${filed(certfile)}: ${said}`,
  },
  { code: /^ERR_SSL_|^ERR_TLS_/, why: (_, said) => `ssl here and there do not agree: ${said}` },
]

/** Return a permanent TLS error of a connection; undefined for other errors. */
export function tlsRefusal(
  endpoint: Endpoint,
  ssl: TlsSettings | undefined,
  error: Error | undefined,
): WireError | undefined {
  if (ssl === undefined || error === undefined) return undefined
  const { code = '', reason } = error as NodeJS.ErrnoException & { reason?: string }
  const cause = CAUSES.find((each) => each.code.test(code))
  if (cause === undefined) return undefined
  const said = certificateProblem(reason ?? error.message)
  return new WireError('TlsError', `${noTls(endpoint)}: ${cause.why(ssl, said)}`, { cause: error })
}

/** How long a peer has to answer a TLS greeting, in milliseconds. */
const GREETING_MS = 3000

/**
 * Whether a peer that hung up on plain text answers a TLS greeting. Nothing is sent over that connection and its certificate is
 * not looked at, because the answer only chooses the words of an error.
 */
export function speaksTls(endpoint: Endpoint): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ ...endpoint, rejectUnauthorized: false })
    const finish = (isSo: boolean): void => {
      done(isSo)
      socket.destroy()
    }
    socket.setTimeout(GREETING_MS, () => finish(false))
    socket.once('secureConnect', () => finish(true))
    // a master that requires a client certificate refuses by a TLS alert
    socket.once('error', (error: NodeJS.ErrnoException) => finish(/^ERR_SSL_.*ALERT/.test(error.code ?? '')))
    socket.once('close', () => finish(false))
  })
}

/** Return the reason for a missing answer: no connection, or likely causes of silence. */
export function silenceReason(
  endpoint: Endpoint,
  ssl: TlsSettings | undefined,
  error: Error | undefined,
  wantsTls = false,
): string {
  const { syscall } = (error ?? {}) as NodeJS.ErrnoException
  if (error && (syscall === 'connect' || syscall === 'getaddrinfo')) return error.message
  if (ssl === undefined) {
    const why = wantsTls ? ': it wants TLS, the option ssl' : '; its log may say why'
    return `the master at ${endpointText(endpoint)} hangs up before it says anything${why}`
  }
  const own = `ssl: certfile ${filed(ssl.certfile)}`
  return `${noTls(endpoint)}: it says nothing, and may not speak TLS, which ssl here asks for, or refuse ${own}`
}

/** Logs each trouble with TLS of a connection that is tried again and again, once until it is another. */
export function tlsComplaints(endpoint: Endpoint, { ssl, log }: SocketOptions): (error: Error | undefined) => void {
  let last = ''
  return (error) => {
    const trouble = isWireError(error, 'BadSetting') ? error : tlsRefusal(endpoint, ssl, error)
    const message = trouble?.message ?? ''
    if (message !== '' && message !== last) log?.('error', message)
    last = message
  }
}

const noTls = (endpoint: Endpoint): string => `No TLS with the master at ${endpointText(endpoint)}`
