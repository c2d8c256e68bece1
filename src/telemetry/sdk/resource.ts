import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources'
import { ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from '@opentelemetry/semantic-conventions'
import { version } from '../../common/version.ts'

/** Who sends: OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win. Nothing of the machine, of which no one asked. */
export function telemetryResource() {
  const own = resourceFromAttributes({ [ATTR_SERVICE_NAME]: 'headcount', [ATTR_SERVICE_VERSION]: version() })
  const given = detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })
  return defaultResource().merge(own).merge(given)
}
