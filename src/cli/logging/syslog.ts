// Log lines to a syslog: by UDP and TCP to a host, or to a socket of this machine through the program `logger`, because
// Node has no Unix datagram sockets. Lines wait in a short queue without a connection; further ones are dropped.
import { spawn } from 'node:child_process'
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { connect, type Socket } from 'node:net'
import type { LogLevel } from '../../base/mod.ts'
import type { SyslogAddress } from '../../config/mod.ts'

/** Python's SysLogHandler takes levels that syslog does not have for warnings. */
const SEVERITIES: Readonly<Partial<Record<LogLevel, number>>> = { debug: 7, info: 6, warning: 4, error: 3, critical: 2 }
const WARNING = 4

/** Bytes that may wait for a slow receiver. */
const MOST_WAITING = 1 << 20

export interface Syslog {
  /** False when the line cannot be taken. */
  write(line: string, level: LogLevel): boolean
  /** Reconnect at the next line. */
  reopen(): void
}

/** `onTrouble` is called once when the system log cannot be reached, and again only after it was reached. */
export function openSyslog(address: SyslogAddress, onTrouble: (problem: string) => void): Syslog {
  const report = onceUntilRight(address, onTrouble)
  const outlet = address.kind === 'udp' ? new UdpOutlet(address, report) : new StreamOutlet(address, report)
  return {
    write: (line, level) => outlet.send(`<${address.facility * 8 + (SEVERITIES[level] ?? WARNING)}>${line}`),
    reopen: () => outlet.close(),
  }
}

type Report = (problem: Error | undefined) => void

function onceUntilRight(address: SyslogAddress, onTrouble: (problem: string) => void): Report {
  const place = address.kind === 'file' ? address.path : `${address.kind}://${address.host}:${address.port}`
  let isBroken = false
  return (problem) => {
    if (problem && !isBroken) onTrouble(`Cannot write to the system log ${place}: ${problem.message}`)
    isBroken = problem !== undefined
  }
}

class UdpOutlet {
  private socket: UdpSocket | undefined
  private readonly address: { host: string; port: number }
  private readonly report: Report

  constructor(address: { host: string; port: number }, report: Report) {
    this.address = address
    this.report = report
  }

  send(text: string): boolean {
    const { host, port } = this.address
    this.socket ??= createSocket(host.includes(':') ? 'udp6' : 'udp4').on('error', this.report)
    const { socket } = this
    socket.ref()
    socket.send(text, port, host, (error) => {
      this.report(error ?? undefined)
      // a program need not stay for it
      socket.unref()
    })
    return true
  }

  close(): void {
    this.socket?.close()
    this.socket = undefined
  }
}

const RETRY_MS = 1000

/** A stream with one message on each line. */
class StreamOutlet {
  private stream: Socket | undefined
  private readonly address: SyslogAddress
  private readonly report: Report
  /** When the connection broke last, in milliseconds. */
  private broke = Number.NEGATIVE_INFINITY

  constructor(address: SyslogAddress, report: Report) {
    this.address = address
    this.report = report
  }

  send(text: string): boolean {
    if (!this.stream && performance.now() - this.broke < RETRY_MS) return false
    this.stream ??= this.open()
    const { stream } = this
    if (stream.writableLength > MOST_WAITING) return false
    // the program stays only as long as something waits to be written
    stream.ref()
    // a message is one line: the breaks of its text are shown
    stream.write(`${text.replaceAll('\n', '\\n')}\n`, () => {
      if (stream.writableLength === 0) stream.unref()
    })
    return true
  }

  close(): void {
    this.stream?.end()
    this.stream = undefined
  }

  private open(): Socket {
    const { address } = this
    if (address.kind === 'file') return this.openLogger(address.path)
    const socket = connect(address.port, address.host)
    socket.on('connect', () => this.report(undefined)).on('error', (error) => this.fail(socket, error))
    socket.on('close', () => this.fail(socket, new Error('the connection was closed')))
    return socket
  }

  /** `logger` finds out whether the socket takes datagrams or a stream. */
  private openLogger(path: string): Socket {
    const words = ['--socket', path, '--socket-errors=on', '--prio-prefix', '--tag', 'salt']
    const child = spawn('logger', words, { stdio: ['pipe', 'ignore', 'pipe'] })
    const input = child.stdin as Socket
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(0, 1000)
    })
    child.on('error', (error) => this.fail(input, error))
    input.on('error', (error) => this.fail(input, error))
    child.on('close', (status) => this.fail(input, new Error(said.trim() || `logger ended with status ${status}`)))
    child.unref()
    ;(child.stderr as Socket).unref()
    return input
  }

  private fail(stream: Socket, error: Error): void {
    if (this.stream !== stream) return
    this.close()
    this.broke = performance.now()
    this.report(error)
  }
}
