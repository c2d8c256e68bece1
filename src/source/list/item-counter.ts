import type { ItemHandler } from '../../common/json/array-reader.ts'
import { INCOMPLETE } from '../../common/json/scan.ts'

/** Counts the items of a list that was parsed before: no item is looked into. */
export class ItemCounter implements ItemHandler {
  count = 0
  readonly containedKey = false

  tryItem(): number {
    return INCOMPLETE
  }

  item(): void {
    this.count += 1
  }
}
