"""The account into Postgres by dlt: `pipeline.py delete-insert|cdc insert_values|csv`.

Two of dlt's ways of merging a table that is loaded whole each time, both of which follow deletions: delete-insert
empties the table (its scope) and fills it again; cdc deletes what is not there any more and leaves rows alone that
are as they were, and keeps slots as one column, for it does not scale with a child table.
"""

import os
import sys
from typing import Any

import dlt
from dlt.sources.rest_api import RESTAPIConfig, rest_api_source

strategy, file_format = sys.argv[1:]

# As many requests at once as the others; two processes, each with files of its own to normalise.
dlt.config["extract.workers"] = 8
dlt.config["sources.data_writer.file_max_items"] = 5_000
dlt.config["normalize.workers"] = 2
dlt.config["data_writer.disable_compression"] = True
dlt.config["runtime.dlthub_telemetry"] = False
dlt.config["runtime.log_level"] = "ERROR"


def column(name: str, data_type: str, **more: Any) -> dict[str, dict[str, Any]]:
    """A hint of its own for each column: one that is shared would lose the type of the second, without an error."""
    return {name: {"name": name, "data_type": data_type, **more}}


def merging(*primary_key: str) -> dict[str, Any]:
    how = {"skip_unchanged_rows": True} if strategy == "cdc" else {"destination_scope": "true", "deduplicated": True}
    return {
        "primary_key": list(primary_key),
        "write_disposition": {"disposition": "merge", "strategy": strategy, **how},
    }


columns = {
    **column("amount", "decimal", precision=12, scale=2),
    **column("processing_fee", "decimal", precision=12, scale=2),
    **(column("slots", "json") if strategy == "cdc" else {}),
}
# As text, for a time stamp would lose the offset that was sent.
slot_columns = {**column("start_date", "text"), **column("end_date", "text")}
config: RESTAPIConfig = {
    "client": {
        "base_url": os.environ["SERVICE_URL"],
        "auth": {"type": "api_key", "name": "X-API-Key", "api_key": os.environ["SERVICE_KEY"]},
        "paginator": "single_page",
    },
    "resources": [
        {"name": "events", "endpoint": "events", **merging("id")},
        {
            "name": "responses",
            "endpoint": "events/{resources.events.id}/responses",
            "include_from_parent": ["id"],
            "parallelized": True,
            **merging("_events_id", "id"),
            "columns": columns,
            "nested_hints": {"slots": {"columns": slot_columns}} if strategy == "delete-insert" else {},
        },
    ],
}
pipeline = dlt.pipeline(
    "peer",
    pipelines_dir=os.environ["STATE_FOLDER"],
    destination=dlt.destinations.postgres(os.environ["DATABASE_URL"]),
    dataset_name="mirror",
)
pipeline.run(rest_api_source(config), loader_file_format=file_format).raise_on_failed_jobs()
