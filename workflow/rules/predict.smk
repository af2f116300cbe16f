# A shard's output is one small file that is written at its end. Its directory is no output:
# Snakemake would remove the journal of a failed job, and the next attempt could not go on.
rule shard:
    input:
        reads=reads_of,
    output:
        done="results/{sample}/shards/{shard}-of-{shards}.done",
    log:
        "logs/{sample}/shard_{shard}-of-{shards}.log",
    params:
        # Snakemake knows a file without `./`; the program would take `-a.fq` for an option.
        reads=lambda wildcards, input: [f"./{name}" if name.startswith("-") else name for name in input.reads],
        run="results/{sample}/shards/{shard}-of-{shards}",
        program=config["virnucpro"],
        options=lambda wildcards: shlex.join(predict_options(wildcards)),
    retries: config["retries"]
    threads: lambda wildcards: number(wildcards.sample, "threads")
    # What may change between two attempts is a resource and no parameter: of a parameter that
    # changed Snakemake would run finished shards again.
    resources:
        attempt=lambda wildcards, attempt: attempt,
        mem_mb=lambda wildcards, attempt: attempt * number(wildcards.sample, "mem_mb"),
        runtime=lambda wildcards: number(wildcards.sample, "runtime"),
        gpu=lambda wildcards: number(wildcards.sample, "gpus"),
        device=device_of,
        token_budget=config["token_budget"],
        slurm_extra=config["slurm_extra"],
    shell:
        "{workflow.basedir:q}/scripts/shard.sh {params.run:q} {resources.attempt} {resources.token_budget} "
        "{params.program} -q predict {params.reads:q} --shard {wildcards.shard}/{wildcards.shards} "
        "{params.options} --device {resources.device} --threads {threads} --no-progress "
        ">>{log:q} 2>&1 && date -u +%Y-%m-%dT%H:%M:%SZ >{output.done:q}"


MERGED = {
    "sequences": "results/{sample}/run/sequences.tsv",
    "frames": "results/{sample}/run/{sample}_merged/prediction_results.txt",
    "chunks": "results/{sample}/run/{sample}_merged/prediction_results_highestscore.csv",
    "html": "results/{sample}/run/report.html",
    "markdown": "results/{sample}/run/report.md",
    "json": "results/{sample}/run/report.json",
    "multiqc": expand("results/{{sample}}/run/{file}", file=MULTIQC_FILES),
}


# The bytes of one run over the whole input, with the reports. A merge that was stopped goes on; what is
# of other shards is replaced.
rule merge:
    input:
        done_files,
    output:
        **MERGED,
    wildcard_constraints:
        sample=one_of(sample for sample in SAMPLES if sample not in ROLLED_UP),
    log:
        "logs/{sample}/merge.log",
    params:
        run="results/{sample}/run",
        shards=shards_of,
        program=config["virnucpro"],
        options=lambda wildcards: shlex.join(merge_options(wildcards)),
    resources:
        mem_mb=config["merge_mem_mb"],
        runtime=config["merge_runtime"],
    shell:
        "{params.program} -q merge {params.shards:q} -o {params.run:q} --force-resume {params.options} >{log:q} 2>&1"


# By the rule viral-ngs.
use rule merge as merge_contigs with:
    output:
        **MERGED,
        contigs="results/{sample}/run/contigs.tsv",
    wildcard_constraints:
        sample=one_of(ROLLED_UP),
