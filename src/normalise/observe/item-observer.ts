import type { JsonObject } from '../../common/json/exact.ts'
import type { Observation } from '../../common/schema/items.ts'

/** Notes what the items of one list show of what the specification leaves open. */
export interface ItemObserver<Row> {
  /** Looks at an item beside its row. */
  observe(fields: JsonObject, row: Row, fieldMask: number): void
  observations(): readonly Observation[]
}
