// OTLP over HTTP in JSON: how spans and numbers reach a collector.
import { toError } from '../base/mod.ts'
import { type Dict, isDict, str, type Value } from '../data/mod.ts'

export type Attributes = Readonly<Record<string, string | number | boolean>>

export interface Collector {
  endpoint: string
  headers: Readonly<Record<string, string>>
  /** Attributes of this process. */
  resource: Attributes
}

/** Read the collector of an option `tracing` or `metrics`. */
export function readCollector(settings: Dict, usual: string): Collector {
  const service = { 'service.name': str(settings.get('service_name') ?? '') || 'salt-api' }
  return {
    endpoint: str(settings.get('endpoint') ?? '') || usual,
    headers: texts(settings.get('headers')),
    resource: { ...service, ...texts(settings.get('resource_attributes')) },
  }
}

function texts(value: Value | undefined): Record<string, string> {
  if (value === undefined || !isDict(value)) return {}
  return Object.fromEntries([...value].map(([name, text]) => [str(name), str(text)]))
}

/** Send a document; throw unless the collector takes it in time. */
export async function sendTo({ endpoint, headers }: Collector, document: unknown, milliseconds: number): Promise<void> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(document),
    redirect: 'error',
    signal: AbortSignal.timeout(milliseconds),
  })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`status ${response.status}`)
}

/** Why a collector could not be reached; `fetch` tells that in the cause of its error. */
export function failureText(error: unknown): string {
  const { message, cause } = toError(error)
  return cause instanceof Error ? `${message}: ${cause.message || cause.name}` : message
}

export function attributeList(attributes: Attributes): unknown[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: attributeValue(value) }))
}

function attributeValue(value: string | number | boolean): unknown {
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'string') return { stringValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
