// The dumper classes in Salt's code, described by their differences.
import { SEQ, YAML_PREFIX } from '../tags.ts'

export interface YamlDialect {
  emitter: 'libyaml' | 'pure'
  /** An OrderedDict: in its order, sorted like a dict, as the Python object it is, or not known. */
  orderedDicts: 'in-order' | 'as-dict' | 'as-object' | 'other'
  /** The full dumpers tag tuples. */
  tupleTag: string
  /** Whether subclasses of str, list, tuple and dict are written like their base. */
  subclasses: boolean
  /** How a value without a representer is written: `NULL`, an error, or a Python object. */
  others: 'null' | 'error' | 'object'
}

const PYTHON_TUPLE = `${YAML_PREFIX}python/tuple`

export const DIALECTS = {
  /** `salt.utils.yaml.safe_dump`. */
  SafeOrderedDumper: {
    emitter: 'libyaml',
    orderedDicts: 'in-order',
    tupleTag: SEQ,
    subclasses: false,
    others: 'null',
  },
  OrderedDumper: {
    emitter: 'libyaml',
    orderedDicts: 'in-order',
    tupleTag: PYTHON_TUPLE,
    subclasses: false,
    others: 'object',
  },
  /** With libyaml its setting to indent sequences has no effect. */
  IndentedSafeOrderedDumper: {
    emitter: 'libyaml',
    orderedDicts: 'in-order',
    tupleTag: SEQ,
    subclasses: false,
    others: 'object',
  },
  /** `salt.utils.yaml.dump` without a class: PyYAML's own. */
  Dumper: {
    emitter: 'pure',
    orderedDicts: 'as-object',
    tupleTag: PYTHON_TUPLE,
    subclasses: false,
    others: 'object',
  },
  /** PyYAML's own safe dumper, which `yaml_encode` uses. */
  SafeDumper: {
    emitter: 'pure',
    orderedDicts: 'other',
    tupleTag: SEQ,
    subclasses: false,
    others: 'error',
  },
  /** The `yaml` serializer of `file.serialize`. */
  serializer: {
    emitter: 'libyaml',
    orderedDicts: 'as-dict',
    tupleTag: SEQ,
    subclasses: true,
    others: 'error',
  },
  /** The `yamlex` serializer, which also prints SLS values. */
  yamlex: {
    emitter: 'pure',
    orderedDicts: 'in-order',
    tupleTag: SEQ,
    subclasses: true,
    others: 'error',
  },
} as const satisfies Record<string, YamlDialect>

export type DumperName = keyof typeof DIALECTS
