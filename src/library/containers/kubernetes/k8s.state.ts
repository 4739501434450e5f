// States with the names that guides print: the states of `kubernetes`, with values of secrets in base64 as in a manifest.
import { type Dict, misuse, str, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateFunction, state } from '../../../sdk/mod.ts'
import { connection } from './client/settings.ts'
import { KINDS, kindNamed } from './kinds.ts'
import { type Given, kindStates, place, present } from './state/kind-states.ts'
import { manifestStates } from './state/manifest-states.ts'

/** Return data of a secret that is checked to be base64. */
function encoded(data: Dict): Dict {
  for (const [key, value] of data) {
    const text = typeof value === 'string' ? value.replaceAll(/\s/g, '') : undefined
    if (text === undefined || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
      throw misuse(`The value of '${str(key)}' in data is not base64: encode it, or put it under string_data`)
    }
  }
  return data
}

const inBase64 = (data: Dict): Dict =>
  new Map([...data].map(([key, value]): [Value, Value] => [key, Buffer.from(str(value)).toString('base64')]))

const secretPresent: StateFunction = state({
  doc: 'Ensure that a Secret exists and has the given values.',
  args: {
    name: arg.text('Name of the Secret'),
    namespace: place,
    data: arg.dict('Values in base64, by their names', { optional: true }),
    string_data: arg.dict('Values that are not encoded, by their names', { optional: true }),
    secret_type: arg.text('Type of the secret', { optional: true }),
    metadata: arg.dict('Metadata of the object: labels, annotations', { optional: true }),
    kwargs: connection,
  },
  run: (ctx, { data, string_data, ...given }) => {
    const values: Dict = new Map([...encoded(data ?? new Map()), ...inBase64(string_data ?? new Map())])
    // bytes, so that nothing is guessed about their encoding
    const bytes = [...values].map(([key, value]): [Value, Value] => [
      key,
      new Uint8Array(Buffer.from(str(value), 'base64')),
    ])
    const wanted: Given = { ...given, data: new Map(bytes), wait: false, timeout: 0 }
    return present(ctx, kindNamed('secret'), wanted)
  },
})

const all: Record<string, StateFunction> = Object.assign({}, ...KINDS.map(kindStates))

export default defineState({
  name: 'k8s',
  doc: 'Objects of Kubernetes clusters, as the states `kubernetes`. Values of secrets are in base64, as in a manifest.',
  functions: { ...all, secret_present: secretPresent, ...manifestStates },
})
