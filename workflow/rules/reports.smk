rule report:
    input:
        "results/{sample}/run/sequences.tsv",
    output:
        html="results/{sample}/run/report.html",
        markdown="results/{sample}/run/report.md",
        json="results/{sample}/run/report.json",
        multiqc="results/{sample}/run/virnucpro_mqc.json",
        scores="results/{sample}/run/virnucpro_scores_mqc.tsv",
    log:
        "logs/{sample}/report.log",
    params:
        run="results/{sample}/run",
        program=config["virnucpro"],
    resources:
        mem_mb=config["report_mem_mb"],
        runtime=config["report_runtime"],
    shell:
        "{params.program} -q report {params.run:q} >{log} 2>&1"


rule multiqc:
    input:
        expand("results/{sample}/run/virnucpro_mqc.json", sample=SAMPLES),
        expand("results/{sample}/run/virnucpro_scores_mqc.tsv", sample=SAMPLES),
    output:
        "results/multiqc/multiqc_report.html",
    log:
        "logs/multiqc.log",
    params:
        program=config["multiqc"],
    resources:
        mem_mb=config["report_mem_mb"],
        runtime=config["report_runtime"],
    shell:
        "{params.program} --force --outdir $(dirname {output:q}) --filename $(basename {output:q}) "
        "--dirs --no-data-dir {input:q} >{log} 2>&1"
