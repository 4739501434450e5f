// Events of the bus to Logstash, in the form that its Python handler sends (version 1): one JSON object by UDP, or lines by TCP.
import { createSocket } from 'node:dgram'
import { type Dict, dumpJson, isDict, isList, isNumeric, misuse, repr, str, type Value } from '../../../data/mod.ts'
import { arg, type BusMessage, type Connection, defineEngine, type EngineContext } from '../../../sdk/mod.ts'

export default defineEngine({
  name: 'logstash',
  doc: 'Send events to Logstash by UDP or TCP.',
  args: {
    host: arg.string('Host of Logstash'),
    port: arg.integer('Port of Logstash', { default: 5959 }),
    tag: arg.string('Message of each event', { default: 'salt/engine/logstash' }),
    proto: arg.string('Protocol: udp or tcp', { default: 'udp' }),
  },
  start: async (ctx, { host, port, tag, proto }) => {
    if (proto !== 'udp' && proto !== 'tcp') {
      throw misuse(`logstash: proto must be udp or tcp, not ${proto}`)
    }
    const address = { host, port: Number(port) }
    const sender = proto === 'udp' ? udpSender(address) : await tcpSender(ctx, address)
    const origin = await ctx.host.hostname()
    try {
      for await (const event of ctx.events()) await sender.send(dumpJson(message(event, tag, origin)))
    } finally {
      sender.close()
    }
  },
})

interface Address {
  host: string
  port: number
}

interface Sender {
  send(text: string): Promise<void>
  close(): void
}

function udpSender({ host, port }: Address): Sender {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  return {
    send: (text) =>
      new Promise((done, fail) => {
        socket.send(Buffer.from(text), port, host, (error) => (error ? fail(error) : done()))
      }),
    close: () => socket.close(),
  }
}

async function tcpSender({ host: machine }: EngineContext, address: Address): Promise<Sender> {
  const connection: Connection = await machine.connect(address)
  return { send: (text) => connection.write(`${text}\n`), close: () => connection.close() }
}

/** Return the fields of the handler and the data of the event; values without a JSON form are shown as in Python. */
function message({ data }: BusMessage, tag: string, origin: string): Dict {
  const sent: Dict = new Map<Value, Value>([
    ['@timestamp', new Date().toISOString()],
    ['@version', '1'],
    ['message', tag],
    ['host', origin],
    ['path', 'logstash'],
    ['tags', []],
    ['type', 'logstash'],
    ['level', 'INFO'],
    ['logger_name', 'python-logstash-logger'],
    ['stack_info', null],
  ])
  for (const [key, value] of data) {
    sent.set(str(key), isDict(value) || isList(value) || isPlain(value) ? value : repr(value))
  }
  return sent
}

const isPlain = (value: Value): boolean =>
  value === null || typeof value === 'string' || typeof value === 'boolean' || isNumeric(value)
