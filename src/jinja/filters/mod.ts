// Jinja's builtin filters, under the names that templates use.
import type { NativeFunction } from '../runtime/native.ts'
import { htmlFilters } from './html.ts'
import { jsonFilters } from './json.ts'
import { layoutFilters } from './layout.ts'
import { listFilters } from './list.ts'
import { numberFilters } from './number.ts'
import { orderFilters } from './order.ts'
import { selectFilters } from './select.ts'
import { textFilters } from './text.ts'
import { valueFilters } from './value.ts'

export const builtinFilters: ReadonlyMap<string, NativeFunction> = new Map(
  Object.entries({
    ...textFilters,
    ...layoutFilters,
    ...listFilters,
    ...orderFilters,
    ...selectFilters,
    ...numberFilters,
    ...htmlFilters,
    ...jsonFilters,
    ...valueFilters,
  }),
)
